// Package terminal decides how a command writes: for people at a terminal in aligned columns and perhaps in
// colour, for everything else as compact plain text.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/term"

	"handoff/mailbox/draw"
	"handoff/schemas"
)

// Style is how to write to one stream. The zero value is plain.
type Style struct {
	draw.Style
	Terminal bool // somebody looks at it
}

// Is tells whether a stream is a terminal. A device such as /dev/null is none.
func Is(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// Of gives the style of a stream: colour only on a terminal, and not where NO_COLOR is set
// (https://no-color.org) or the terminal says that it is dumb.
func Of(stream io.Writer, isTerminal, noColor bool, getenv func(string) string) Style {
	if !isTerminal {
		return Style{}
	}
	s := Style{Terminal: true}
	s.Colour = !noColor && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	if f, ok := stream.(interface{ Fd() uintptr }); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			s.Width = width
		}
	}
	return s
}

// Age writes how long ago something was in one number, as people say it: 40s, 5m, 2h, 3d.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

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
