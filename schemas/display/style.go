// Package display formats texts for people: it counts the columns of a text, colours it, and has the words for
// durations and for states of handoffs. The command line and package draw use it. Models read briefs instead.
//
// The package makes hidden characters in texts of agents visible, and puts such a text on one line where the page needs
// one line. So no title can change the look of the terminal. The package reads no clock: the present time is a field of
// [Style].
//
// The formatted pages are for people: their words and symbols may change from one version of handoff to the next.
// Programs read the JSON or row output instead.
package display

import (
	"fmt"
	"time"

	"handoff/schemas"
)

// Style says how to format a page. The zero value gives plain text of 80 columns, without ages of times. A Style may be
// copied and used concurrently.
type Style struct {
	Colour bool      // marks and headings have colours, as ANSI escapes
	Width  int       // in columns; 0 means 80 in a picture and no limit elsewhere; a picture has at least 40
	Now    time.Time // for ages and running times
}

// An escapeColour is the parameter of an ANSI escape code. The terminal chooses the exact shade, so each colour can be
// read on light and on dark backgrounds.
type escapeColour string

const (
	bold   escapeColour = "1"
	faint  escapeColour = "2"
	red    escapeColour = "31"
	green  escapeColour = "32"
	yellow escapeColour = "33"
	cyan   escapeColour = "36"
	violet escapeColour = "35"
	grey   escapeColour = "90"
)

// paint puts the escape codes of a colour around a text, if the style has colours. The text must contain no escapes, so
// a text of an agent has to go through [FitOneLine] or [Style.SplitLines] first.
func (s Style) paint(c escapeColour, text string) string {
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

// StateFacts holds the facts about a handoff that determine its displayed word and colour.
type StateFacts struct {
	Status    schemas.Status
	Outcome   schemas.Outcome // tells a completion in part from a whole one
	BlockedBy []string        // its open dependencies
	Reason    string          // why it is in this state; for running work, that its holder is gone
}

// StateLabel returns the symbol and the word for a state, in the colour of the state.
func (s Style) StateLabel(state StateFacts) string {
	w := displayOfState(state)
	return s.paint(w.colour, w.mark+" "+w.word)
}

// ColourByState returns a text in the colour of a state. Lists use it where the word of the state would take too much
// room.
func (s Style) ColourByState(state StateFacts, text string) string {
	return s.paint(displayOfState(state).colour, text)
}

// StateWord returns the word for a state that people read, for example "In Progress" for accepted and working.
func StateWord(state StateFacts) string { return displayOfState(state).word }

// stateDisplay is the display of a state: a symbol, a word and a colour. Displays of different colours also differ in
// the symbol or the word, so a page without colours loses no fact.
type stateDisplay struct {
	mark, word string
	colour     escapeColour
}

// displayByStatus holds the display of each status.
var displayByStatus = map[schemas.Status]stateDisplay{
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

// displayOfState returns the display of a state. For an unknown status the word is the status itself. "Blocked" and
// "disconnected" are no statuses of a handoff: displayOfState derives them from the dependencies and the reason.
func displayOfState(s StateFacts) stateDisplay {
	switch {
	case s.Outcome == schemas.Partial && s.Status == schemas.Completed:
		return stateDisplay{"!", "Completed (partial)", yellow}
	case s.Status == schemas.Pending && len(s.BlockedBy) > 0:
		return stateDisplay{"‖", "Blocked", violet}
	case s.Reason != "" && (s.Status == schemas.Accepted || s.Status == schemas.Working):
		return stateDisplay{"✗", "Disconnected", red}
	}
	if w, known := displayByStatus[s.Status]; known {
		return w
	}
	return stateDisplay{"…", string(s.Status), grey}
}

// FormatDuration writes a duration for people, rounded to seconds below a minute and to minutes below a day: "<1 s",
// "12 s", "15 min", "2 h 5 min", "3 d 4 h". Halves are rounded up.
func FormatDuration(d time.Duration) string {
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

// FormatAge returns the time from then to the present time of the style. It returns "" if one of the two times is zero.
// A time in the future counts as now, because a clock may have been set back.
func (s Style) FormatAge(then time.Time) string {
	if s.Now.IsZero() || then.IsZero() {
		return ""
	}
	return FormatDuration(max(s.Now.Sub(then), 0))
}
