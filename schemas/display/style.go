// Package display shows texts to people: it counts the columns of a text, colours it, and has the words for durations
// and for states of handoffs. The command line and the pictures of package draw use it. Models read briefs instead.
//
// It shows text of agents with hidden characters made visible, and on one line if the page needs it, so that no title
// can repaint a terminal. The package reads no clock: the time of day is a field of [Style].
//
// Pages are for people, and programs use rows instead: the words and marks may change from one version to the next.
package display

import (
	"fmt"
	"time"

	"handoff/schemas"
)

// Style says how to draw. The zero value is plain text, 80 columns wide, without ages. A Style may be copied and used
// concurrently.
type Style struct {
	Colour bool      // marks and headings have colours, by ANSI escapes
	Width  int       // columns; 0: 80 in a picture, which is never narrower than 40, and no limit elsewhere
	Now    time.Time // for ages and running times
}

// A colour is the parameter of an ANSI escape. Terminals choose its exact look, so it fits light and dark ones.
type colour string

const (
	bold   colour = "1"
	faint  colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
	violet colour = "35"
	grey   colour = "90"
)

// paint puts a text between the escapes of a colour, if the style has colours. The text must have no escapes of its
// own, so text of agents comes through [OneLine] or [Style.Lines] first.
func (s Style) paint(c colour, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// Bold marks the most important text.
func (s Style) Bold(text string) string { return s.paint(bold, text) }

// Faint marks text that a reader may skip.
func (s Style) Faint(text string) string { return s.paint(faint, text) }

// Red marks failures.
func (s Style) Red(text string) string { return s.paint(red, text) }

// Green marks successes.
func (s Style) Green(text string) string { return s.paint(green, text) }

// Yellow marks text that needs attention.
func (s Style) Yellow(text string) string { return s.paint(yellow, text) }

// State holds the facts that decide the words and colour of a handoff.
type State struct {
	Status    schemas.Status
	Outcome   schemas.Outcome // tells a completion in part from a whole one
	BlockedBy []string        // its open dependencies
	Reason    string          // why it is in this state; for running work, that its holder is gone
}

// StateLabel returns the mark and the word of a state, in its colour.
func (s Style) StateLabel(state State) string {
	w := wordingOf(state)
	return s.paint(w.colour, w.mark+" "+w.word)
}

// InStateColour writes a text in the colour of a state. Lists use it if the word alone would take too much room.
func (s Style) InStateColour(state State, text string) string {
	return s.paint(wordingOf(state).colour, text)
}

// StateWord returns a state in words for people, the same as in pictures: accepted and working are both "In
// Progress".
func StateWord(state State) string { return wordingOf(state).word }

// wording is the display of a status: a mark, a word, and a colour if there are colours. Mark and word alone
// distinguish the statuses, so no fact is lost without colours.
type wording struct {
	mark, word string
	colour     colour
}

// wordings holds the display of each status.
var wordings = map[schemas.Status]wording{
	schemas.Pending:   {"…", "Pending", grey},
	schemas.Accepted:  {"◐", "In Progress", cyan},
	schemas.Working:   {"◐", "In Progress", cyan},
	schemas.Waiting:   {"!", "Waiting", yellow},
	schemas.Completed: {"✓", "Completed", green},
	schemas.Failed:    {"✗", "Failed", red},
	schemas.Rejected:  {"✗", "Rejected", red},
	schemas.TimedOut:  {"✗", "Timed out", red},
	schemas.Returned:  {"!", "Returned", yellow},
	schemas.Cancelled: {"✗", "Cancelled", grey},
}

// wordingOf returns the display of a state. It shows an unknown status as it is written. Blocked and disconnected are
// no statuses: the dependencies and the reason tell them.
func wordingOf(s State) wording {
	switch {
	case s.Outcome == schemas.Partial && s.Status == schemas.Completed:
		return wording{"!", "Completed (partial)", yellow}
	case s.Status == schemas.Pending && len(s.BlockedBy) > 0:
		return wording{"‖", "Blocked", violet}
	case s.Reason != "" && (s.Status == schemas.Accepted || s.Status == schemas.Working):
		return wording{"✗", "Disconnected", red}
	}
	if w, known := wordings[s.Status]; known {
		return w
	}
	return wording{"…", string(s.Status), grey}
}

// Duration writes a duration for people, to the second below a minute and to the minute below a day: "<1 s", "12 s",
// "15 min", "2 h 5 min", "3 d 4 h". Halves are rounded up.
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
		return joinUnits(hours, "h", minutes%60, "min")
	default:
		return joinUnits(hours/24, "d", hours%24, "h")
	}
}

// joinUnits joins two units, and leaves out a rest of zero.
func joinUnits(n int, unit string, rest int, smaller string) string {
	if rest == 0 {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %s %d %s", n, unit, rest, smaller)
}

// Ago returns the duration from then to now, or "" if either is unknown. A time in the future, as after a clock was
// set back, counts as now.
func (s Style) Ago(then time.Time) string {
	if s.Now.IsZero() || then.IsZero() {
		return ""
	}
	return Duration(max(s.Now.Sub(then), 0))
}
