package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible makes foreign text safe to show in an error, a log or a brief: invalid UTF-8 and [Hidden] characters become
// escapes. It keeps newlines, tabs, and the selector that shows a symbol as an emoji. Safe text stays unchanged.
func Visible(s string) string {
	if isVisible(s) {
		return s
	}
	var b strings.Builder
	var before rune
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isEmojiSelector(before, r):
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

// VisibleJSON makes the texts of an encoded value [Visible]: the decoded value shows escapes in place of hidden
// characters. A line end of two characters stays. JSON without hidden characters stays unchanged.
func VisibleJSON(raw json.RawMessage) json.RawMessage {
	if isVisibleJSON(raw) {
		return raw
	}
	var b bytes.Buffer
	var before rune
	for i := 0; i < len(raw); {
		r, n := runeOfJSON(raw[i:])
		if Hidden(r) && !isEmojiSelector(before, r) && !isLineEnd(raw[i:]) {
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(`\` + q[1:len(q)-1])
		} else {
			b.Write(raw[i : i+n])
		}
		before = r
		i += n
	}
	return b.Bytes()
}

// isVisibleJSON tells whether an encoded text needs no escapes. It may return false for such a text, but never true
// for a text that needs some.
func isVisibleJSON(raw []byte) bool {
	for i := 0; i < len(raw); {
		if c := raw[i]; c != '\\' && c < utf8.RuneSelf {
			if isHiddenASCII(c) {
				return false
			}
			i++
			continue
		}
		r, n := runeOfJSON(raw[i:])
		if Hidden(r) && !isLineEnd(raw[i:]) || r == utf8.RuneError {
			return false
		}
		i += n
	}
	return true
}

// isLineEnd tells whether an encoded text begins with a line end of two characters, which hides nothing.
func isLineEnd(raw []byte) bool { return bytes.HasPrefix(raw, []byte(`\r\n`)) }

// runeOfJSON returns the first character of an encoded text, and its encoded length in bytes.
func runeOfJSON(raw []byte) (r rune, n int) {
	if raw[0] != '\\' {
		return utf8.DecodeRune(raw)
	}
	switch raw[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'r':
		return '\r', 2
	case 'u':
		first := hexUnit(raw[2:])
		if utf16.IsSurrogate(first) && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			return utf16.DecodeRune(first, hexUnit(raw[8:])), 12
		}
		return first, 6
	}
	return rune(raw[1]), 2
}

func hexUnit(digits []byte) rune {
	unit, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // it is JSON
	return rune(unit)
}

// isEmojiSelector tells whether selector chooses the display of the symbol before it. Only a single selector has this
// meaning. Selectors at other places or in other numbers can carry a hidden message.
func isEmojiSelector(symbol, selector rune) bool {
	return (selector == '\ufe0e' || selector == '\ufe0f') && symbol >= utf8.RuneSelf && unicode.IsSymbol(symbol)
}

// isVisible tells whether s needs no escapes. Most text is plain ASCII, which needs no tables.
func isVisible(s string) bool {
	for i := range len(s) {
		if b := s[i]; b >= utf8.RuneSelf {
			return utf8.ValidString(s[i:]) && strings.IndexFunc(s[i:], Hidden) < 0
		} else if isHiddenASCII(b) {
			return false
		}
	}
	return true
}

func isHiddenASCII(b byte) bool { return b < ' ' && b != '\n' && b != '\t' || b == 0x7f }

// Hidden tells whether a character would change the display of its neighbours, or be invisible itself: controls other
// than newline and tab, format characters (bidirectional marks, zero-width, tags), separators of lines and
// paragraphs, variation selectors, characters that Unicode calls default ignorable, private use, whose display is
// unknown, and signs without ink: the braille blank, the null notehead and the blank hieroglyphs.
func Hidden(r rune) bool {
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

// JoinFirst joins the first of several texts by commas, and counts the others.
func JoinFirst(texts []string, most int) string {
	text := strings.Join(texts[:min(len(texts), most)], ", ")
	if more := len(texts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Counted writes a number of things: "1 notice", "2 notices".
func Counted[N int | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Numbered writes texts with their numbers, from 1, and the separator between them. Answers refer to these numbers. A
// single text gets no number.
func Numbered(texts []string, between string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	var lines []string
	for i, text := range texts {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
	}
	return strings.Join(lines, between)
}

// Texts returns names, ids or other values as text.
func Texts[T any](values []T) []string { return Map(values, func(v T) string { return fmt.Sprint(v) }) }
