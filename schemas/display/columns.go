package display

import (
	"cmp"
	"strings"
	"unicode"

	"handoff/schemas"
)

// wideScripts are the scripts and symbols whose characters take two columns on a terminal.
var wideScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana,
	{
		R16: []unicode.Range16{{0x3000, 0x303e, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
		R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1faff, 1}},
	},
}

// CountColumns returns the number of terminal columns that a text takes: two for each East Asian character and most
// pictures, none for a combining mark, and one for any other character. The text must have no ANSI escapes.
func CountColumns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

// runeColumns returns the number of columns of one character. Some terminals join several characters into one picture;
// runeColumns still counts each of these characters.
func runeColumns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && unicode.In(r, wideScripts...):
		return 2
	}
	return 1
}

// Clip shortens a text to at most width columns and marks the cut. A text that fits stays unchanged. Clip never splits
// a character of two columns, so a clipped text may be one column shorter than width.
func Clip(text string, width int) string {
	if CountColumns(text) <= width {
		return text
	}
	const mark = "…"
	left := width - 1
	for i, r := range text {
		if left -= runeColumns(r); left < 0 {
			return strings.TrimRight(text[:i], " ") + mark
		}
	}
	return text
}

// FitOneLine puts an agent's text on one line of at most width columns and makes hidden characters visible. Tables and
// drawings show titles and names with it.
func FitOneLine(written string, width int) string {
	return Clip(schemas.EscapeHidden(strings.Join(strings.Fields(written), " ")), width)
}

// newlines replaces every kind of line end by \n.
var newlines = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n")

// SplitLines splits an agent's text into lines, at least one, and makes hidden characters visible. If the style has a
// width, it also breaks longer lines at blanks. The parameter room is the number of columns to leave free on each line.
// The caller prints a prefix there, so that no line of an agent's text looks like a line of handoff. Without the
// breaks, the terminal would continue a long line without the prefix.
func (s Style) SplitLines(written string, room int) (lines []string) {
	for line := range strings.SplitSeq(schemas.EscapeHidden(newlines.Replace(strings.TrimSpace(written))), "\n") {
		if s.Width == 0 {
			lines = append(lines, line)
			continue
		}
		lines = append(lines, BreakLine(strings.ReplaceAll(line, "\t", "    "), max(max(s.Width, 40)-room, 20))...)
	}
	return lines
}

// BreakLine breaks a line into parts of at most width columns, between words. It breaks within a word only if the word
// is wider than width. Width must be at least 2, because the widest character has two columns.
func BreakLine(line string, width int) (parts []string) {
	for CountColumns(line) > width {
		end, blank, left := len(line), 0, width
		for i, r := range line {
			if left -= runeColumns(r); left < 0 {
				if end = i; r == ' ' {
					blank = i
				}
				break
			}
			if r == ' ' {
				blank = i + 1
			}
		}
		end = cmp.Or(blank, end)
		parts = append(parts, strings.TrimRight(line[:end], " "))
		line = strings.TrimLeft(line[end:], " ")
	}
	return append(parts, line)
}
