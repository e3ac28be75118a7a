// Package draw shows handoffs to people: a workflow as a picture of who passed what to whom ([Tree],
// [Mermaid]), one handoff with what was asked and what came of it ([Show]), and a mailbox as a table
// ([List]). Models read briefs instead.
//
// What agents wrote is shown on one line where the picture needs it, clipped to the width, and with hidden
// characters made visible, so that no title can repaint a terminal. Drawing is pure: the time of day is a
// field of [Style].
package draw

import (
	"fmt"
	"strings"
	"time"

	"handoff/schemas"
)

// Style is how to draw. The zero value is plain text, 80 columns wide, without ages.
type Style struct {
	Color bool      // colour marks and headings with ANSI escapes
	ASCII bool      // draw with ASCII only; what agents wrote stays as it is
	Width int       // columns, default 80; never narrower than 40
	Now   time.Time // for ages and what is still running
}

func (s Style) width() int {
	if s.Width == 0 {
		return 80
	}
	return max(s.Width, 40)
}

// ascii replaces what this package draws with; each glyph takes one column in both.
var ascii = strings.NewReplacer(
	"─", "-", "│", "|", "├", "|", "└", "`", "▶", ">", "▼", "v", "→", ">",
	"✓", "+", "✗", "x", "◐", "*", "…", ".", "·", "-",
)

// glyph gives a drawing in the characters of the style. It is for our own text only.
func (s Style) glyph(drawing string) string {
	if s.ASCII {
		return ascii.Replace(drawing)
	}
	return drawing
}

// A colour is the parameter of an ANSI escape.
type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
	grey   colour = "90"
	bold   colour = "1"
)

func (s Style) paint(c colour, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// text puts what an agent wrote on one line of at most width columns.
func (s Style) text(written string, width int) string {
	return s.clip(schemas.Visible(strings.Join(strings.Fields(written), " ")), width)
}

// lines gives what an agent wrote line by line, unclipped: a terminal wraps it.
func (s Style) lines(written string) []string {
	written = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.TrimSpace(written))
	return strings.Split(schemas.Visible(written), "\n")
}

// status says where a handoff stands in words for people, with a mark.
func (s Style) status(status schemas.Status, outcome schemas.Outcome) string {
	w := words(status, outcome)
	return s.paint(w.colour, s.glyph(w.mark)+" "+w.word)
}

type wording struct {
	mark, word string
	colour     colour
}

func words(status schemas.Status, outcome schemas.Outcome) wording {
	switch status {
	case schemas.Completed:
		if outcome == schemas.Partial {
			return wording{"!", "Completed (partial)", yellow}
		}
		return wording{"✓", "Completed", green}
	case schemas.Failed:
		return wording{"✗", "Failed", red}
	case schemas.Accepted, schemas.Working:
		return wording{"◐", "In Progress", cyan}
	case schemas.Waiting:
		return wording{"!", "Waiting", yellow}
	case schemas.Rejected:
		return wording{"✗", "Rejected", red}
	case schemas.TimedOut:
		return wording{"✗", "Timed out", red}
	case schemas.Returned:
		return wording{"!", "Returned", yellow}
	case schemas.Cancelled:
		return wording{"✗", "Cancelled", grey}
	case schemas.Pending:
		return wording{"…", "Pending", grey}
	}
	return wording{"…", string(status), grey}
}

// Duration says how long in the words of people, to the second below a minute and to the minute below a
// day: "<1 s", "12 s", "15 min", "2 h 5 min", "3 d 4 h".
func Duration(d time.Duration) string {
	switch seconds := d.Round(time.Second); {
	case d < time.Second:
		return "<1 s"
	case seconds < time.Minute:
		return fmt.Sprintf("%d s", int(seconds.Seconds()))
	}
	minutes := int(d.Round(time.Minute).Minutes())
	switch hours := minutes / 60; {
	case hours == 0:
		return fmt.Sprintf("%d min", minutes)
	case hours < 24:
		return two(hours, "h", minutes%60, "min")
	default:
		return two(hours/24, "d", hours%24, "h")
	}
}

func two(n int, unit string, rest int, smaller string) string {
	if rest == 0 {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %s %d %s", n, unit, rest, smaller)
}

// ago is a duration from then to now, or "" when either is unknown.
func (s Style) ago(then time.Time) string {
	if s.Now.IsZero() || then.IsZero() {
		return ""
	}
	return Duration(max(s.Now.Sub(then), 0))
}
