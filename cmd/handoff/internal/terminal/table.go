package terminal

import (
	"strings"
	"unicode/utf8"

	"handoff/schemas"
)

const gap = "  " // between columns

// Table draws rows under a head: in aligned columns cut to the width on a terminal, else separated by tabs.
// Cells are made safe to show and stay on one line. Every row has as many cells as the head.
func (s Style) Table(head []string, rows [][]string) string {
	table := make([][]string, 0, len(rows)+1)
	for _, row := range append([][]string{head}, rows...) {
		table = append(table, oneLine(row))
	}
	if !s.Terminal {
		return tabs(table)
	}
	widths := columnWidths(table)
	var b strings.Builder
	for i, row := range table {
		line := s.clip(align(row, widths))
		if i == 0 {
			line = s.Bold(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func tabs(table [][]string) string {
	var b strings.Builder
	for _, row := range table {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return b.String()
}

func oneLine(row []string) []string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = strings.Join(strings.Fields(schemas.Visible(cell)), " ")
	}
	return cells
}

func columnWidths(table [][]string) []int {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func align(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + gap)
	}
	return strings.TrimRight(b.String(), " ")
}

// clip cuts a line at the width of the terminal, so that a row stays a row.
func (s Style) clip(line string) string {
	if s.Width <= 1 || utf8.RuneCountInString(line) <= s.Width {
		return line
	}
	return string([]rune(line)[:s.Width-1]) + "…"
}
