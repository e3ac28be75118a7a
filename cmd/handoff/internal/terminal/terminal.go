// Package terminal decides how a command writes: for people at a terminal in aligned columns and perhaps in
// colour, for everything else as compact plain text.
package terminal

import (
	"fmt"
	"io"
	"time"

	"golang.org/x/term"

	"handoff/mailbox/draw"
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
