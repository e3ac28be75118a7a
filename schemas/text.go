package schemas

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible makes text of others safe to show in an error, a log or a brief: invalid UTF-8 and the characters that are
// [Hidden] appear as escapes. Newlines and tabs are kept, and so is the selector that shows a symbol as an emoji. Text
// that is safe comes back as it is.
func Visible(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	var before rune
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case emoji(before, r):
			b.WriteRune(r)
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])+0x100, 16)[1:])
		case Hidden(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		before = r
		i += n
	}
	return b.String()
}

// emoji tells whether selector says how the symbol before it is shown. Only one selector has this sense; any other
// place or number of them can carry a message that nobody sees.
func emoji(symbol, selector rune) bool {
	return (selector == '\ufe0e' || selector == '\ufe0f') && symbol >= utf8.RuneSelf && unicode.IsSymbol(symbol)
}

// clean tells whether nothing in s needs an escape. Most text is plain ASCII, which needs no tables.
func clean(s string) bool {
	for i := range len(s) {
		if b := s[i]; b >= utf8.RuneSelf {
			return utf8.ValidString(s[i:]) && strings.IndexFunc(s[i:], Hidden) < 0
		} else if hiddenASCII(b) {
			return false
		}
	}
	return true
}

func hiddenASCII(b byte) bool { return b < ' ' && b != '\n' && b != '\t' || b == 0x7f }

// Hidden tells whether a character would change how its neighbours are shown, or not be seen itself:
// controls other than newline and tab, format characters (bidirectional marks, zero-width, tags), separators
// of lines and paragraphs, variation selectors, and what Unicode calls default ignorable.
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return hiddenASCII(byte(r)) //nolint:gosec // it fits
	}
	return unicode.IsControl(r) ||
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Clip shortens text to at most limit bytes at a character boundary and marks the cut with "…".
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
