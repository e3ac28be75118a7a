package draw

import (
	"strings"
	"unicode"

	"handoff/schemas"
)

// wide are the scripts and symbols that terminals show in two columns.
var wide = []*unicode.RangeTable{
	unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana,
	{
		R16: []unicode.Range16{{0x3000, 0x303e, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
		R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1faff, 1}},
	},
}

// Columns counts what a text takes on a terminal, as terminals commonly reckon.
func Columns(text string) int {
	n := 0
	for _, r := range text {
		n += column(r)
	}
	return n
}

func column(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && unicode.In(r, wide...):
		return 2
	}
	return 1
}

// Clip shortens a text to a number of columns and marks the cut.
func Clip(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	const mark = "…"
	left := width - 1
	for i, r := range text {
		if left -= column(r); left < 0 {
			return strings.TrimRight(text[:i], " ") + mark
		}
	}
	return text
}

// OneLine puts what an agent wrote on one line of at most width columns.
func OneLine(written string, width int) string {
	return Clip(schemas.Visible(strings.Join(strings.Fields(written), " ")), width)
}

// newlines are all that end a line.
var newlines = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n")

// Lines gives what an agent wrote line by line, unclipped: a terminal wraps it.
func Lines(written string) []string {
	return strings.Split(schemas.Visible(newlines.Replace(strings.TrimSpace(written))), "\n")
}
