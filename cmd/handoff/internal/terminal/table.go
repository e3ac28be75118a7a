package terminal

import (
	"strings"

	"handoff/mailbox/draw"
	"handoff/schemas"
)

const gap = "  " // between columns

// Table draws rows under a head: in aligned columns cut to the width on a terminal, else separated by tabs.
// Cells are made safe to show and stay on one line. Every row has as many cells as the head.
func (s Style) Table(head []string, rows [][]string) string {
	return s.PaintedTable(head, rows, func(_, _ int, cell string) string { return cell })
}

// PaintedTable is a table whose cells have colours: paint gives each as it is to be shown, by the number of its row and
// its column.
func (s Style) PaintedTable(head []string, rows [][]string, paint func(row, column int, cell string) string) string {
	table := make([][]string, 0, len(rows)+1)
	for _, row := range append([][]string{head}, rows...) {
		table = append(table, oneLine(row))
	}
	if !s.Terminal {
		return tabs(table)
	}
	widths := columnWidths(table)
	var b strings.Builder
	b.WriteString(s.Bold(s.align(table[0], widths, func(_ int, cell string) string { return cell })) + "\n")
	for i, row := range table[1:] {
		b.WriteString(s.align(row, widths, func(column int, cell string) string { return paint(i, column, cell) }) + "\n")
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
			widths[i] = max(widths[i], draw.Columns(cell))
		}
	}
	return widths
}

// align puts cells into columns, as far as the terminal is wide, so that a row stays a row.
func (s Style) align(row []string, widths []int, paint func(column int, cell string) string) string {
	var b strings.Builder
	begins, written := 0, 0 // columns: where the next cell begins, and how many the line has
	for i, cell := range row {
		if s.Width > 1 && begins < s.Width {
			cell = draw.Clip(cell, s.Width-begins)
		}
		if cell != "" && (s.Width <= 1 || begins < s.Width) {
			b.WriteString(strings.Repeat(" ", begins-written) + paint(i, cell))
			written = begins + draw.Columns(cell)
		}
		begins += widths[i] + len(gap)
	}
	return b.String()
}
