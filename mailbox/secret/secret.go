// Package secret finds secrets in text: tokens, keys and passwords. It recognises the issuers' token prefixes, the name
// before a value, private keys, and addresses with a password.
//
// When in doubt it leaves text as it is: a placeholder, a word or a function call is no secret, and masked text holds
// none. One pass reads each character once; patterns are tried only at the beginning of a word or at a separator.
//
// The rules are a table of ours. gitleaks would bring more packages than handoff has; the table is measured against it
// (make secrets). Texts are masked when arguments are decoded, see package tools.
package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// found is a secret at text[from:to].
type found struct {
	from, to int
	kind     string
}

// Mask replaces each secret by a mark as [secret: github-token], and returns the kinds of the secrets, each once, in
// order. It depends on the text alone, so the same text is always masked in the same way. Text without secrets, or with
// masks, is returned unchanged.
func Mask(text string) (masked string, kinds []string) {
	var b strings.Builder
	begun := prefixes()
	done := 0
	for i := 0; i+1 < len(text); i++ {
		var f found
		switch c := text[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z': // the most frequent case
			if starts := begun.rulesFor(c, text[i+1]); starts != nil {
				f = findToken(text, i, starts)
			}
		case c == ' ':
		default:
			f = findAssigned(text, i)
		}
		if f.kind == "" || f.from < done {
			continue
		}
		b.WriteString(text[done:f.from])
		b.WriteString("[secret: " + f.kind + "]")
		if done, i = f.to, f.to-1; !slices.Contains(kinds, f.kind) {
			kinds = append(kinds, f.kind)
		}
	}
	if done == 0 {
		return text, nil
	}
	b.WriteString(text[done:])
	return b.String(), kinds
}

// MaskNamed is [Mask] for a value with a name, as in an object. If the name names a secret and the value looks random,
// the whole value is masked.
func MaskNamed(name, value string) (masked string, kinds []string) {
	if kind := kindOfName(name); kind != "" && looksRandom(value, kind) {
		return "[secret: " + kind + "]", []string{kind}
	}
	return Mask(value)
}

// findToken finds a token that its issuer marks. Marks that end a sentence, or stand between texts, are not taken as its
// end.
func findToken(text string, i int, starts []rule) found {
	for _, r := range starts {
		if !strings.HasPrefix(text[i:], r.prefix) || !r.endsInMark() && !wordBegins(text, i) {
			continue
		}
		body := i + len(r.prefix)
		end := endOf(text, body, body+maxProbe, isTokenByte)
		tail := text[body:end]
		if len(tail) >= r.minLength && isMixed(tail, 8) && (r.kind != "jwt" || r.prefix == "ZXlK" || strings.Contains(tail, ".")) {
			end = endOf(text, end, len(text), isTokenByte)
			return found{i, i + len(strings.TrimRight(text[i:end], ".-/+~%")), r.kind}
		}
	}
	return found{}
}

// findAssigned finds a secret behind a character that is no letter: the value of a name or of an option, an address
// with a password, a private key.
func findAssigned(text string, i int) found {
	switch c, next := text[i], text[i+1]; {
	case c == ':' && next == '/':
		return findInAddress(text, i)
	case c == ':', c == '=', c == '>', c == ',' && i > 0 && (text[i-1] == '"' || text[i-1] == '\''): // also arguments of a call
		return findNamedValue(text, i)
	case c == '-' && strings.HasPrefix(text[i:], "-----BEGIN "):
		if at := patterns().key.FindStringIndex(text[i:]); at != nil {
			return found{i, i + at[1], "private-key"}
		}
	case c == '-' && next == '-':
		if space := strings.IndexByte(text[i:min(len(text), i+40)], ' '); space > 2 {
			return findValue(text, i+space, kindOfName(text[i+2:i+space]))
		}
	}
	return found{}
}

// findInAddress finds the password of an address whose colon stands at i.
func findInAddress(text string, i int) found {
	at := patterns().address.FindStringSubmatchIndex(text[i:min(len(text), i+maxProbe)])
	if at == nil {
		return found{}
	}
	if password := text[i+at[2] : i+at[3]]; isPlaceholder(password) || !isMixed(password, 16) {
		return found{}
	}
	return found{i + at[2], i + at[3], "password"}
}

// patterns are regular expressions for places with a sign of a secret. They are compiled at the first such place.
var patterns = sync.OnceValue(func() (p struct{ key, address, uuid, stands *regexp.Regexp }) {
	p.key = regexp.MustCompile(`^-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----([^-]|-[^-]){64,}(-----END [A-Z ]+-----)?`)
	p.address = regexp.MustCompile(`^://[\w.~%!$&*+,;=-]*:([\w.~%!$&*+,;=-]{6,})@`)
	p.uuid = regexp.MustCompile(`^\w{8}-\w{4}-\w{4}-\w{4}-\w{12}$`)
	p.stands = regexp.MustCompile(`(?i)^[$</]|xxx|\.\.\.|…|\*\*\*|[$][{(]|\{\{|%[sqv]|example|your|redacted|placeholder|changeme`)
	return p
})

// findNamedValue finds the value that is given to the name of a secret, where the separator at a place of the text stands
// between them. Between the name and the separator it passes over eight blanks and quotes at most.
func findNamedValue(text string, i int) found {
	end := i
	for end > max(0, i-8) && strings.IndexByte(" \t?.:\"'`\\", text[end-1]) >= 0 {
		end--
	}
	kind := kindOfName(text[nameStart(text, end):end])
	if typed := end - len(" string"); kind == "" && typed > 0 && strings.EqualFold(text[typed:end], " string") { // var token string = …
		kind = kindOfName(text[nameStart(text, typed):typed])
	}
	return findValue(text, i+1, kind)
}

// findValue finds a secret of a kind, which may be none, behind a separator. A value before an open bracket is a call
// or an index, and no secret.
func findValue(text string, i int, kind string) found {
	if kind == "" {
		return found{}
	}
	i = endOf(text, i, len(text), func(c byte) bool { return strings.IndexByte(" \t\r\n:=>?\"'`\\", c) >= 0 })
	for _, scheme := range []string{"bearer ", "basic ", "token "} {
		if behind := i + len(scheme); behind < len(text) && strings.EqualFold(text[i:behind], scheme) {
			i = behind
		}
	}
	end := endOf(text, i, i+maxProbe, isValueByte)
	if end < len(text) && strings.IndexByte("({[", text[end]) >= 0 || !looksRandom(text[i:end], kind) {
		return found{}
	}
	return found{i, endOf(text, end, len(text), isValueByte), kind}
}

// maxProbe is how much of a text is looked at to tell whether it is a secret, so that no text takes long.
const maxProbe = 256

// endOf is where the characters of one kind end that begin at a place of the text, at most at a limit.
func endOf(text string, i, limit int, in func(c byte) bool) int {
	for i < min(len(text), limit) && in(text[i]) {
		i++
	}
	return i
}

// isTokenByte tells whether a byte may be part of a token that its issuer marks.
func isTokenByte(c byte) bool { return isWordByte(c) || strings.IndexByte("-.=+/~%", c) >= 0 }

// isValueByte tells whether a byte may be part of a value: all but blanks, quotes, brackets and a few separators. Bytes
// beyond ASCII may.
func isValueByte(c byte) bool { return c > ' ' && strings.IndexByte("\"'`,;<>()[]{}\\|", c) < 0 }

// kindOfName gives the kind of secret that a name names by how it ends, "" for none. Numbers behind it do not count. Only
// its last 16 letters count: no word that is looked for is longer.
func kindOfName(name string) string {
	var letters [16]byte // the last of the name, in small letters
	n := len(letters)
	for i := len(name) - 1; i >= 0 && n > 0; i-- {
		switch c := class(name[i]); {
		case c == 'U' || c == 'l':
			n--
			letters[n] = name[i] | 0x20
		case c == 'd' && n < len(letters):
			return ""
		}
	}
	tail := string(letters[n:])
	for _, w := range secretNames {
		if slices.ContainsFunc(w.ends, func(end string) bool { return strings.HasSuffix(tail, end) }) {
			return w.kind
		}
	}
	return ""
}

// looksRandom tells whether a value looks like one that was made by chance, or like a password.
func looksRandom(value, kind string) (is bool) {
	switch {
	case kind == "password":
		is = len(value) >= 8 && strings.ContainsAny(value, "0123456789") && isMixed(value, 16)
	case len(value) >= 15 && strings.Trim(value, "0123456789") == "":
		is = true
	default:
		is = len(value) >= 14 && (isMixed(value, 10) || len(value) == 36 && patterns().uuid.MatchString(value))
	}
	return is && !isPlaceholder(value) && !strings.HasPrefix(value, "ct_") // a claim token may be told
}

// isMixed tells whether a text changes between letters and digits, or from small letters to large ones, as often as words
// and names never do: once in so many characters, and at least twice.
func isMixed(text string, each int) bool {
	changes := 0
	for i := 1; i < len(text); i++ {
		a, b := class(text[i-1]), class(text[i])
		if a != b && a != 0 && b != 0 && (a == 'd' || b == 'd' || b == 'U') {
			changes++
		}
	}
	return changes >= max(2, len(text)/each)
}

// class is d for a digit, l for a small letter, U for a large one, and 0 for anything else. Letters beyond ASCII are
// anything else.
func class(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return 'd'
	case c >= 'a' && c <= 'z':
		return 'l'
	case c >= 'A' && c <= 'Z':
		return 'U'
	}
	return 0
}

// isPlaceholder tells whether a value stands for another: a variable, a form or an example.
func isPlaceholder(value string) bool { return patterns().stands.MatchString(value) }

// wordBegins tells whether a word begins at a place of the text. Within JSON a line may end in two characters before it.
func wordBegins(text string, i int) bool {
	if i == 0 || i > 1 && text[i-2] == '\\' && strings.IndexByte("ntr", text[i-1]) >= 0 {
		return true
	}
	return !isWordByte(text[i-1]) && strings.IndexByte("-.+", text[i-1]) < 0
}

// nameStart is where the name begins that ends at a place of the text. It goes back 64 bytes at most.
func nameStart(text string, end int) int {
	i := end
	for i > 0 && i > end-64 && (isWordByte(text[i-1]) || text[i-1] == '-' || text[i-1] == '.') {
		i--
	}
	return i
}

func isWordByte(c byte) bool { return class(c) != 0 || c == '_' }
