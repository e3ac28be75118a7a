// Package secret finds and masks secrets in text: tokens, keys and passwords. It recognises tokens by the prefix of
// their issuer, values by the name before them, private keys, and addresses with a password. When in doubt, it leaves
// the text unchanged: a placeholder or a function call is no secret.
//
// The rules are a table in this package. `make secrets` compares the table with the program gitleaks. The library of
// gitleaks is not used, because it needs more packages than handoff has in total.
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

// Mask replaces each secret by a mark such as [secret: github-token]. kinds has the kinds of the secrets, each once.
// Text without secrets and earlier marks stay unchanged. The result depends only on the text.
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
			f = findAfterSeparator(text, i)
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

// MaskNamed masks a value that has a name, for example a field of a JSON object. If the name is a secret's name, such
// as api_key, and the value looks random, it masks the whole value. Otherwise it does the same as [Mask].
func MaskNamed(name, value string) (masked string, kinds []string) {
	if kind := secretKindOfName(name); kind != "" && looksRandom(value, kind) {
		return "[secret: " + kind + "]", []string{kind}
	}
	return Mask(value)
}

// findToken finds a token at position i by the prefix of its issuer. starts has the rules whose prefix may match at i.
// A full stop after the token is not part of the token.
func findToken(text string, i int, starts []rule) secretMatch {
	for _, r := range starts {
		if !strings.HasPrefix(text[i:], r.prefix) || !r.mayFollowLetters() && !isWordStart(text, i) {
			continue
		}
		body := i + len(r.prefix)
		end := scanWhile(text, body, body+maxProbe, isTokenByte)
		tail := text[body:end]
		if len(tail) >= r.minLength && changesClassOften(tail, 8) && (r.kind != "jwt" || r.prefix == "ZXlK" || strings.Contains(tail, ".")) {
			end = scanWhile(text, end, len(text), isTokenByte)
			return secretMatch{i, i + len(strings.TrimRight(text[i:end], ".-/+~%")), r.kind}
		}
	}
	return secretMatch{}
}

// findAfterSeparator finds a secret after the separator at position i. The secret is the value of a named field or of
// an option such as --token, the password in an address, or a private key.
func findAfterSeparator(text string, i int) secretMatch {
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
			return findValue(text, i+space, secretKindOfName(text[i+2:i+space]))
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
	if password := text[i+at[2] : i+at[3]]; isPlaceholder(password) || !changesClassOften(password, 16) {
		return secretMatch{}
	}
	return secretMatch{i + at[2], i + at[3], "password"}
}

// patterns returns the regular expressions. They are compiled at their first use, because most texts contain nothing
// that looks like a secret.
var patterns = sync.OnceValue(func() (p struct{ key, address, uuid, placeholder *regexp.Regexp }) {
	p.key = regexp.MustCompile(`^-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----([^-]|-[^-]){64,}(-----END [A-Z ]+-----)?`)
	p.address = regexp.MustCompile(`^://[\w.~%!$&*+,;=-]*:([\w.~%!$&*+,;=-]{6,})@`)
	p.uuid = regexp.MustCompile(`^\w{8}-\w{4}-\w{4}-\w{4}-\w{12}$`)
	p.placeholder = regexp.MustCompile(`(?i)^[$</]|xxx|\.\.\.|…|\*\*\*|[$][{(]|\{\{|%[sqv]|example|your|redacted|placeholder|changeme`)
	return p
})

// findNamedValue finds the value after the separator at position i, as in password = "x". It finds nothing if the name
// before the separator is no name of a secret. It skips at most eight blanks and quotes between the name and the
// separator.
func findNamedValue(text string, i int) secretMatch {
	end := i
	for end > max(0, i-8) && strings.IndexByte(" \t?.:\"'`\\", text[end-1]) >= 0 {
		end--
	}
	kind := secretKindOfName(text[startOfName(text, end):end])
	if typed := end - len(" string"); kind == "" && typed > 0 && strings.EqualFold(text[typed:end], " string") { // var token string = …
		kind = secretKindOfName(text[startOfName(text, typed):typed])
	}
	return findValue(text, i+1, kind)
}

// findValue skips separators and blanks from position i on, and finds the secret that begins there. It finds nothing if
// kind is "". A value before an open bracket is no secret, because it is a function call or an index.
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

// maxProbe is the number of bytes of a value that are examined, so that a long value takes no longer.
const maxProbe = 256

// scanWhile moves forward from i as long as in returns true for the byte at the position, and returns the position
// where it stops. It stops at limit and at the end of the text.
func scanWhile(text string, i, limit int, in func(c byte) bool) int {
	for i < min(len(text), limit) && in(text[i]) {
		i++
	}
	return i
}

// isTokenByte reports whether a byte may be part of a token.
func isTokenByte(c byte) bool { return isWordByte(c) || strings.IndexByte("-.=+/~%", c) >= 0 }

// isValueByte reports whether a byte may be part of a value. It returns false for blanks, control characters, quotes,
// brackets and a few separators.
func isValueByte(c byte) bool { return c > ' ' && strings.IndexByte("\"'`,;<>()[]{}\\|", c) < 0 }

// secretKindOfName returns the kind of secret that a name stands for, according to the end of the name: "password" for
// db_password2. It returns "" for any other name. It ignores digits at the end, and compares only the last 16 letters,
// because no word of a name in rules.txt is longer.
func secretKindOfName(name string) string {
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
	for _, words := range prefixes().names {
		if slices.ContainsFunc(words[1:], func(end string) bool { return strings.HasSuffix(tail, end) }) {
			return words[0]
		}
	}
	return ""
}

// looksRandom reports whether a value looks as if it was generated at random, or chosen as a password.
func looksRandom(value, kind string) (is bool) {
	switch {
	case kind == "password":
		is = len(value) >= 8 && strings.ContainsAny(value, "0123456789") && changesClassOften(value, 16)
	case len(value) >= 15 && strings.Trim(value, "0123456789") == "":
		is = true
	default:
		is = len(value) >= 14 && (changesClassOften(value, 10) || len(value) == 36 && patterns().uuid.MatchString(value))
	}
	return is && !isPlaceholder(value) && !strings.HasPrefix(value, "ct_") // a claim token may be shown
}

// changesClassOften reports whether a text changes between letters and digits, or between small and capital letters, at
// least twice, and at least once in every `each` characters. Generated values change more often than words do.
func changesClassOften(text string, each int) bool {
	changes := 0
	for i := 1; i < len(text); i++ {
		a, b := byteClass(text[i-1]), byteClass(text[i])
		if a != b && a != 0 && b != 0 && (a == 'd' || b == 'd' || b == 'U') {
			changes++
		}
	}
	return changes >= max(2, len(text)/each)
}

// byteClass returns 'd' for a digit, 'l' for a small letter and 'U' for a capital letter. It returns 0 for any other
// byte.
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

// isPlaceholder reports whether a value is a variable, a template or an example instead of a real secret.
func isPlaceholder(value string) bool { return patterns().placeholder.MatchString(value) }

// isWordStart reports whether a word begins at position i. A word may also begin after the letter of an escape, as in
// \nword, because the text may be JSON.
func isWordStart(text string, i int) bool {
	if i == 0 || i > 1 && text[i-2] == '\\' && strings.IndexByte("ntr", text[i-1]) >= 0 {
		return true
	}
	return !isWordByte(text[i-1]) && strings.IndexByte("-.+", text[i-1]) < 0
}

// startOfName returns the beginning of the name that ends at position end. It goes back at most 64 bytes.
func startOfName(text string, end int) int {
	i := end
	for i > 0 && i > end-64 && (isWordByte(text[i-1]) || text[i-1] == '-' || text[i-1] == '.') {
		i--
	}
	return i
}

func isWordByte(c byte) bool { return byteClass(c) != 0 || c == '_' }
