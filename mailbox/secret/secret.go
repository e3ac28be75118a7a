// Package secret finds secrets in text: tokens, keys and passwords. It recognises tokens by the prefix of their issuer,
// values by the name before them, private keys, and addresses with a password.
//
// When in doubt it leaves the text unchanged: a placeholder, a word or a function call is no secret, and text that was
// masked before has none. The search reads each character once, and tries patterns only at the beginning of a word or
// at a separator.
//
// The rules are a table in this package. The library gitleaks is not used, because it needs more packages than handoff
// has in total; `make secrets` compares the table with it. Package tools masks texts when it decodes the arguments of a
// call.
package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// secretMatch is a secret at text[from:to].
type secretMatch struct {
	from, to int
	kind     string
}

// Mask replaces each secret by a mark such as [secret: github-token], and returns the kinds of the secrets, each once,
// in order. The result depends on the text alone, so the same text is always masked in the same way. Text without
// secrets is returned unchanged, and so are marks in a text that was masked before.
func Mask(text string) (masked string, kinds []string) {
	var b strings.Builder
	begun := prefixes()
	done := 0
	for i := 0; i+1 < len(text); i++ {
		var f secretMatch
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

// MaskNamed is [Mask] for a value that has a name, for example a field of a JSON object. If the name is that of a
// secret, such as api_key, and the value looks random, MaskNamed masks the whole value.
func MaskNamed(name, value string) (masked string, kinds []string) {
	if kind := kindOfName(name); kind != "" && looksRandom(value, kind) {
		return "[secret: " + kind + "]", []string{kind}
	}
	return Mask(value)
}

// findToken finds a token at position i by the prefix of its issuer. starts are the rules whose prefix may match there.
// Punctuation after the token, such as the full stop of a sentence, is not part of the token.
func findToken(text string, i int, starts []rule) secretMatch {
	for _, r := range starts {
		if !strings.HasPrefix(text[i:], r.prefix) || !r.endsInMark() && !isWordStart(text, i) {
			continue
		}
		body := i + len(r.prefix)
		end := scanWhile(text, body, body+maxProbe, isTokenByte)
		tail := text[body:end]
		if len(tail) >= r.minLength && isMixed(tail, 8) && (r.kind != "jwt" || r.prefix == "ZXlK" || strings.Contains(tail, ".")) {
			end = scanWhile(text, end, len(text), isTokenByte)
			return secretMatch{i, i + len(strings.TrimRight(text[i:end], ".-/+~%")), r.kind}
		}
	}
	return secretMatch{}
}

// findAssigned finds a secret after the separator at position i: the value of a named field or of an option such as
// --token, the password in an address, or a private key.
func findAssigned(text string, i int) secretMatch {
	switch c, next := text[i], text[i+1]; {
	case c == ':' && next == '/':
		return findInAddress(text, i)
	case c == ':', c == '=', c == '>', c == ',' && i > 0 && (text[i-1] == '"' || text[i-1] == '\''): // also arguments of a call
		return findNamedValue(text, i)
	case c == '-' && strings.HasPrefix(text[i:], "-----BEGIN "):
		if at := patterns().key.FindStringIndex(text[i:]); at != nil {
			return secretMatch{i, i + at[1], "private-key"}
		}
	case c == '-' && next == '-':
		if space := strings.IndexByte(text[i:min(len(text), i+40)], ' '); space > 2 {
			return findValue(text, i+space, kindOfName(text[i+2:i+space]))
		}
	}
	return secretMatch{}
}

// findInAddress finds the password in an address such as https://user:password@host. The "://" of the address begins at
// position i.
func findInAddress(text string, i int) secretMatch {
	at := patterns().address.FindStringSubmatchIndex(text[i:min(len(text), i+maxProbe)])
	if at == nil {
		return secretMatch{}
	}
	if password := text[i+at[2] : i+at[3]]; isPlaceholder(password) || !isMixed(password, 16) {
		return secretMatch{}
	}
	return secretMatch{i + at[2], i + at[3], "password"}
}

// patterns has the regular expressions, which are used only where the text already looks like a secret. They are
// compiled at their first use.
var patterns = sync.OnceValue(func() (p struct{ key, address, uuid, stands *regexp.Regexp }) {
	p.key = regexp.MustCompile(`^-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----([^-]|-[^-]){64,}(-----END [A-Z ]+-----)?`)
	p.address = regexp.MustCompile(`^://[\w.~%!$&*+,;=-]*:([\w.~%!$&*+,;=-]{6,})@`)
	p.uuid = regexp.MustCompile(`^\w{8}-\w{4}-\w{4}-\w{4}-\w{12}$`)
	p.stands = regexp.MustCompile(`(?i)^[$</]|xxx|\.\.\.|…|\*\*\*|[$][{(]|\{\{|%[sqv]|example|your|redacted|placeholder|changeme`)
	return p
})

// findNamedValue finds the value after the separator at position i, if the name before the separator is that of a
// secret, as in password = "x". Between the name and the separator it skips at most eight blanks, quotes and similar
// characters.
func findNamedValue(text string, i int) secretMatch {
	end := i
	for end > max(0, i-8) && strings.IndexByte(" \t?.:\"'`\\", text[end-1]) >= 0 {
		end--
	}
	kind := kindOfName(text[startOfName(text, end):end])
	if typed := end - len(" string"); kind == "" && typed > 0 && strings.EqualFold(text[typed:end], " string") { // var token string = …
		kind = kindOfName(text[startOfName(text, typed):typed])
	}
	return findValue(text, i+1, kind)
}

// findValue finds the secret that begins after position i, behind separators and blanks. It finds nothing if kind is
// "". A value that is followed by an open bracket is a function call or an index, and no secret.
func findValue(text string, i int, kind string) secretMatch {
	if kind == "" {
		return secretMatch{}
	}
	i = scanWhile(text, i, len(text), func(c byte) bool { return strings.IndexByte(" \t\r\n:=>?\"'`\\", c) >= 0 })
	for _, scheme := range []string{"bearer ", "basic ", "token "} {
		if behind := i + len(scheme); behind < len(text) && strings.EqualFold(text[i:behind], scheme) {
			i = behind
		}
	}
	end := scanWhile(text, i, i+maxProbe, isValueByte)
	if end < len(text) && strings.IndexByte("({[", text[end]) >= 0 || !looksRandom(text[i:end], kind) {
		return secretMatch{}
	}
	return secretMatch{i, scanWhile(text, end, len(text), isValueByte), kind}
}

// maxProbe is how many bytes of a value are examined to decide whether it is a secret, so that long values take no
// longer.
const maxProbe = 256

// scanWhile returns the position of the first byte at or after i for which in returns false. It stops at limit and at
// the end of the text.
func scanWhile(text string, i, limit int, in func(c byte) bool) int {
	for i < min(len(text), limit) && in(text[i]) {
		i++
	}
	return i
}

// isTokenByte reports whether a byte may be part of a token.
func isTokenByte(c byte) bool { return isWordByte(c) || strings.IndexByte("-.=+/~%", c) >= 0 }

// isValueByte reports whether a byte may be part of a value: any byte except blanks, control characters, quotes,
// brackets and a few separators. Bytes of characters beyond ASCII may be part of a value.
func isValueByte(c byte) bool { return c > ' ' && strings.IndexByte("\"'`,;<>()[]{}\\|", c) < 0 }

// kindOfName returns the kind of secret for which a name is used, judged by the end of the name: "password" for
// db_password2. It returns "" for other names. Digits at the end are ignored. Only the last 16 letters are compared,
// because no word in [secretNames] is longer.
func kindOfName(name string) string {
	var letters [16]byte // the last of the name, in small letters
	n := len(letters)
	for i := len(name) - 1; i >= 0 && n > 0; i-- {
		switch c := byteClass(name[i]); {
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

// looksRandom reports whether a value looks as if it was generated at random, or chosen as a password.
func looksRandom(value, kind string) (is bool) {
	switch {
	case kind == "password":
		is = len(value) >= 8 && strings.ContainsAny(value, "0123456789") && isMixed(value, 16)
	case len(value) >= 15 && strings.Trim(value, "0123456789") == "":
		is = true
	default:
		is = len(value) >= 14 && (isMixed(value, 10) || len(value) == 36 && patterns().uuid.MatchString(value))
	}
	return is && !isPlaceholder(value) && !strings.HasPrefix(value, "ct_") // a claim token may be shown
}

// isMixed reports whether a text changes between letters and digits, or from small to capital letters, more often than
// words and names do: at least once per each characters on average, and at least twice.
func isMixed(text string, each int) bool {
	changes := 0
	for i := 1; i < len(text); i++ {
		a, b := byteClass(text[i-1]), byteClass(text[i])
		if a != b && a != 0 && b != 0 && (a == 'd' || b == 'd' || b == 'U') {
			changes++
		}
	}
	return changes >= max(2, len(text)/each)
}

// byteClass returns 'd' for a digit, 'l' for a small letter, 'U' for a capital letter, and 0 for any other byte,
// including the bytes of letters beyond ASCII.
func byteClass(c byte) byte {
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

// isPlaceholder reports whether a value is no real secret but stands for one: a variable, a template or an example.
func isPlaceholder(value string) bool { return patterns().stands.MatchString(value) }

// isWordStart reports whether a word begins at position i. In JSON the character before the word may be the letter of
// an escape such as \n; a word begins after it, too.
func isWordStart(text string, i int) bool {
	if i == 0 || i > 1 && text[i-2] == '\\' && strings.IndexByte("ntr", text[i-1]) >= 0 {
		return true
	}
	return !isWordByte(text[i-1]) && strings.IndexByte("-.+", text[i-1]) < 0
}

// startOfName returns the position at which the name begins that ends at position end. It goes back at most 64 bytes.
func startOfName(text string, end int) int {
	i := end
	for i > 0 && i > end-64 && (isWordByte(text[i-1]) || text[i-1] == '-' || text[i-1] == '.') {
		i--
	}
	return i
}

func isWordByte(c byte) bool { return byteClass(c) != 0 || c == '_' }
