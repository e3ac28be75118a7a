package schemas

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeHidden makes a text of another program or agent safe to show in an error, a log or a brief: it replaces invalid
// UTF-8 and [IsHidden] characters by visible escapes. It keeps newlines, tabs, and the selector character that shows a
// symbol as an emoji. A text without hidden characters stays unchanged.
func EscapeHidden(s string) string { return escapeHidden(s, utf8.DecodeRuneInString, "") }

// EscapeHiddenJSON escapes hidden characters in the texts of a JSON value, as [EscapeHidden] does for one text. A line
// end of two characters (\r\n) stays.
func EscapeHiddenJSON(raw json.RawMessage) json.RawMessage {
	return json.RawMessage(escapeHidden(string(raw), decodeJSONRune, `\`))
}

// escapeHidden escapes hidden characters. The function decode returns the first character of a text, and the number of
// bytes that encode it. In encoded JSON a backslash precedes each escape; for a plain text, backslash is empty.
func escapeHidden(s string, decode func(string) (r rune, n int), backslash string) string {
	var b strings.Builder
	var before rune
	done := 0
	for i := 0; i < len(s); {
		// Most texts are plain ASCII, without need of the Unicode tables.
		if c := s[i]; c < utf8.RuneSelf && !isHiddenASCII(c) && (c != '\\' || backslash == "") {
			before = rune(c)
			i++
			continue
		}
		r, n := decode(s[i:])
		escape := ""
		switch {
		case isEmojiSelector(before, r), backslash != "" && strings.HasPrefix(s[i:], `\r\n`): // a line end hides nothing
		case r == utf8.RuneError && n == 1:
			escape = backslash + `\x` + strconv.FormatUint(uint64(s[i])+0x100, 16)[1:]
		case IsHidden(r):
			q := strconv.QuoteRuneToASCII(r)
			escape = backslash + q[1:len(q)-1]
		}
		before, i = r, i+n
		if escape != "" {
			b.WriteString(s[done:i-n] + escape)
			done = i
		}
	}
	if done == 0 { // the usual case
		return s
	}
	return b.String() + s[done:]
}

// decodeJSONRune returns the first character of encoded JSON text, and the number of bytes that encode it.
func decodeJSONRune(raw string) (r rune, n int) {
	if raw[0] != '\\' {
		return utf8.DecodeRuneInString(raw)
	}
	switch raw[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'r':
		return '\r', 2
	case 'u':
		first := parseHexDigits(raw[2:])
		if utf16.IsSurrogate(first) && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			return utf16.DecodeRune(first, parseHexDigits(raw[8:])), 12
		}
		return first, 6
	}
	return rune(raw[1]), 2
}

func parseHexDigits(digits string) rune {
	unit, _ := strconv.ParseUint(digits[:4], 16, 16) // it is JSON
	return rune(unit)
}

// isEmojiSelector reports whether selector is the character that shows the symbol before it as an emoji. Only one
// selector directly after a symbol has this meaning. More selectors, or selectors at other places, are invisible and
// can carry a hidden message.
func isEmojiSelector(symbol, selector rune) bool {
	return (selector == '\ufe0e' || selector == '\ufe0f') && symbol >= utf8.RuneSelf && unicode.IsSymbol(symbol)
}

func isHiddenASCII(b byte) bool { return b < ' ' && b != '\n' && b != '\t' || b == 0x7f }

// IsHidden reports whether a character is invisible, or may change the look of its neighbours. Hidden characters are
// controls except newline and tab, format characters (bidirectional marks, zero-width characters, tags), separators of
// lines and paragraphs, variation selectors, and default ignorable characters of Unicode. Private-use characters are
// hidden, because their look is unknown. Characters without ink are hidden: the braille blank, the null notehead and
// the blank hieroglyphs.
func IsHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return isHiddenASCII(byte(r)) //nolint:gosec // it fits
	}
	return unicode.IsControl(r) || strings.ContainsRune("\u2800\U0001d159\U00013441\U00013442", r) ||
		unicode.In(r, unicode.Co, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
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

// JoinFirst joins the first texts by commas, at most `most` of them. If it left out texts, it adds how many.
func JoinFirst(texts []string, most int) string {
	text := strings.Join(texts[:min(len(texts), most)], ", ")
	if more := len(texts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// CountNoun writes a number of things: "1 notice", "2 notices", "2 processes".
func CountNoun[N int | int64 | uint64 | float64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "s") {
		thing += "e"
	}
	return fmt.Sprintf("%v %ss", n, thing)
}

// JoinNumbered joins texts by the separator between and puts a number before each, from 1, so that an answer can refer
// to a text by its number. A single text gets no number.
func JoinNumbered(texts []string, between string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	var lines []string
	for i, text := range texts {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
	}
	return strings.Join(lines, between)
}

// FormatAll returns names, ids or other values as text.
func FormatAll[T any](values []T) []string {
	return Map(values, func(v T) string { return fmt.Sprint(v) })
}
