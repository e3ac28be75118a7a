package draw

import (
	"strings"
	"unicode"
)

// wide are the scripts and symbols that terminals show in two columns.
var wide = []*unicode.RangeTable{
	unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana,
	{
		R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303e, Stride: 1}, {Lo: 0xff01, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1}},
		R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1}, {Lo: 0x1f900, Hi: 0x1faff, Stride: 1}},
	},
}

// columns counts what a text takes on a terminal, as terminals commonly reckon.
func columns(text string) int {
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

// clip shortens a text to a number of columns and marks the cut.
func (s Style) clip(text string, width int) string {
	if columns(text) <= width {
		return text
	}
	mark := "…"
	if s.ASCII {
		mark = "..."
	}
	left := width - columns(mark)
	for i, r := range text {
		if left -= column(r); left < 0 {
			return strings.TrimRight(text[:i], " ") + mark
		}
	}
	return text
}

// pad fills a text with spaces to a number of columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-columns(text), 0))
}
