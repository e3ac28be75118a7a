// Package terminal decides how a command writes: for people at a terminal in aligned columns and perhaps in
// colour, for everything else as compact plain text.
package terminal

import (
	"io"

	"golang.org/x/term"
)

// Style is how to write to one stream. The zero value is plain.
type Style struct {
	Terminal bool // somebody looks at it
	Colour   bool
	Width    int // columns; 0 when there is no limit
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
	s := Style{Terminal: true, Colour: !noColor && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
	if f, ok := stream.(interface{ Fd() uintptr }); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			s.Width = width
		}
	}
	return s
}

// Bold marks what is looked for first.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Faint marks what may be skipped.
func (s Style) Faint(text string) string { return s.paint("2", text) }

// Red marks what went wrong.
func (s Style) Red(text string) string { return s.paint("31", text) }

// Green marks what went well.
func (s Style) Green(text string) string { return s.paint("32", text) }

// Yellow marks what somebody should look at.
func (s Style) Yellow(text string) string { return s.paint("33", text) }

func (s Style) paint(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
