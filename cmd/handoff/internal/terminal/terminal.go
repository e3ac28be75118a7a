// Package terminal formats output for its reader. [ChooseStyle] returns the style of a stream. On a terminal the style
// has aligned columns, and perhaps colours. In other output it is compact plain text.
package terminal

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"handoff/schemas"
	"handoff/schemas/display"
)

// Style describes how to write to one stream. The zero value is plain text.
type Style struct {
	display.Style
	Terminal bool // the stream is a terminal
}

// IsTerminal reports whether a stream is a terminal. It is false for other devices, such as /dev/null.
func IsTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// ChooseStyle returns the style of a stream, by the conventions of other programs. A terminal that is not dumb has
// colour, unless NO_COLOR (https://no-color.org) or CLICOLOR=0 is set. CLICOLOR_FORCE (https://bixense.com/clicolors)
// gives colour to every stream. The flag noColor and NO_COLOR turn colour off in all cases. The width is COLUMNS, or
// else the width of the terminal.
func ChooseStyle(stream io.Writer, isTerminal, noColor bool, getenv func(string) string) Style {
	s := Style{Terminal: isTerminal}
	switch forced := getenv("CLICOLOR_FORCE"); {
	case noColor || getenv("NO_COLOR") != "":
	case forced != "" && forced != "0":
		s.Colour = true
	default:
		s.Colour = isTerminal && getenv("CLICOLOR") != "0" && getenv("TERM") != "dumb"
	}
	if isTerminal {
		s.Width = widthOf(stream, getenv("COLUMNS"))
	}
	return s
}

// widthOf returns the width of a terminal in columns, or zero if the width is unknown.
func widthOf(stream io.Writer, said string) int {
	if n, err := strconv.Atoi(said); err == nil && n > 0 {
		return n
	}
	if f, ok := stream.(interface{ Fd() uintptr }); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// FormatAge returns a duration as one number with its unit (40s, 5m, 2h, 3d).
func FormatAge(d time.Duration) string {
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

// FormatTable returns rows below a head. On a terminal the columns fit the width. In other output tabs separate the
// cells. Every row must have the same number of cells as head. FormatTable makes control characters in cells visible.
func (s Style) FormatTable(head []string, rows [][]string) string {
	return s.DrawTable(Table{Head: head, Rows: rows})
}

// A Table has rows under a head, with additions for terminals.
type Table struct {
	Head []string
	Rows [][]string

	Paint func(row, column int, cell string) string // returns a cell with its colours; nil changes no cell
	Notes func(row int) []string                    // returns lines beneath a row; nil for none
}

// Limits of the width of columns.
const (
	minLastWidth   = 28 // with less room in the row, the last cell goes on its own lines beneath
	minColumnWidth = 10 // columns that do not fit are cut to this width, not below
)

// DrawTable returns a table as text. On a terminal no line exceeds the width, and only words that are longer than a
// line are broken.
func (s Style) DrawTable(t Table) string {
	table := schemas.Map(append([][]string{t.Head}, t.Rows...), func(row []string) []string {
		return schemas.Map(row, func(cell string) string { return strings.Join(strings.Fields(schemas.EscapeHidden(cell)), " ") })
	})
	if !s.Terminal {
		return strings.Join(schemas.Map(table, func(cells []string) string { return strings.Join(cells, "\t") + "\n" }), "")
	}
	var b strings.Builder
	if t.Paint == nil {
		t.Paint = func(_, _ int, cell string) string { return cell }
	}
	f := s.layOut(table)
	if f.lastBelow {
		table[0][len(table[0])-1] = ""
	}
	f.writeRow(&b, table[0], func(_ int, cell string) string { return s.Bold(cell) })
	for i, row := range table[1:] {
		f.writeRow(&b, row, func(column int, cell string) string { return t.Paint(i, column, cell) })
		if t.Notes == nil {
			continue
		}
		for _, note := range t.Notes(i) {
			for _, line := range s.SplitLines(note, f.indent) {
				b.WriteString(strings.Repeat(" ", f.indent) + s.Faint(line) + "\n")
			}
		}
	}
	return b.String()
}

// layout holds the positions of the columns of a table on a terminal.
type layout struct {
	Style
	widths    []int // of all columns but the last
	last      int   // where the last column begins
	indent    int   // where lines beneath a row begin
	lastBelow bool  // the last column stands beneath the others
}

// layOut fits the columns of a table into the width. It cuts the widest columns first, but to no less than
// minColumnWidth.
func (s Style) layOut(table [][]string) layout {
	n := len(table[0]) - 1
	f := layout{Style: s, widths: make([]int, n)}
	longest := 0
	for _, row := range table {
		for i, cell := range row[:n] {
			f.widths[i] = max(f.widths[i], display.CountColumns(cell))
		}
		longest = max(longest, display.CountColumns(row[n]))
	}
	for _, w := range f.widths {
		f.last += w + len(gap)
	}
	for s.Width > 1 && f.last-len(gap) > s.Width {
		widest := 0
		for i, w := range f.widths {
			if w >= f.widths[widest] {
				widest = i
			}
		}
		if f.widths[widest] <= minColumnWidth {
			break
		}
		f.widths[widest]--
		f.last--
	}
	if n > 0 {
		f.indent = f.widths[0] + len(gap)
	}
	f.lastBelow = n > 1 && s.Width > 1 && s.Width-f.last < min(minLastWidth, longest)
	return f
}

// writeRow draws one row. The last cell may take several lines.
func (f layout) writeRow(b *strings.Builder, row []string, paint func(column int, cell string) string) {
	n, behind := len(row)-1, 0 // behind is the number of blanks before the next cell
	for i, cell := range row[:n] {
		if f.Width > 1 {
			cell = display.Clip(cell, f.widths[i])
		}
		if cell != "" {
			b.WriteString(strings.Repeat(" ", behind) + paint(i, cell))
			behind = 0
		}
		behind += f.widths[i] - display.CountColumns(cell) + len(gap)
	}
	if row[n] == "" {
		b.WriteString("\n")
		return
	}
	begins := f.last
	if f.lastBelow {
		b.WriteString("\n")
		begins, behind = f.indent, f.indent
	}
	lines := []string{row[n]}
	if f.Width > 1 {
		lines = display.BreakLine(row[n], max(f.Width-begins, 12))
	}
	for _, line := range lines {
		b.WriteString(strings.Repeat(" ", behind) + paint(n, line) + "\n")
		behind = begins
	}
}
