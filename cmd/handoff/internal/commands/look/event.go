package look

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// eventPrinter prints each event as it comes: a line for people, or an object for programs.
func eventPrinter(a *cli.App, out io.Writer) func(schemas.Change) error {
	return func(c schemas.Change) error {
		line, err := "", error(nil)
		if a.JSON {
			line, err = inertEvent(c)
		} else {
			p := &cli.Page{Style: a.Style()}
			printEvent(p, c)
			line = p.String()
		}
		if err == nil {
			_, err = io.WriteString(out, line)
		}
		if err != nil {
			return schemas.Errorf(schemas.Internal, "print event %d: %w", c.N, err)
		}
		return nil
	}
}

// inertEvent is an event as a line of JSON.
func inertEvent(c schemas.Change) (string, error) {
	raw, err := json.Marshal(c)
	return cli.Inert(raw) + "\n", err
}

// printEvent adds a line for an event: when, which handoff, who, what, and its title.
func printEvent(p *cli.Page, c schemas.Change) {
	id, who, what, title := c.Handoff.String(), string(c.Agent), happened(c), strings.Join(strings.Fields(schemas.Visible(c.Title)), " ")
	if !p.Terminal {
		p.Line("%s\t%s\t%s\t%s\t%s", c.At.Format(time.RFC3339), id, who, what, title)
		return
	}
	// The columns are wide enough for most lines, and none waits for a longer one.
	line := fmt.Sprintf("%s  %s  %-14s  %-24s  %s", p.Faint(clockTime(p, c.At)), p.Bold(fmt.Sprintf("%-6s", id)), who, what, title)
	p.Line("%s", strings.TrimRight(line, " "))
}

// clockTime is the time of day, with the date unless it is that of now.
func clockTime(p *cli.Page, at time.Time) string {
	at = at.In(p.Now.Location())
	if at.Format(time.DateOnly) == p.Now.Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}

// happened says what an event is about, in the words of the registry.
func happened(c schemas.Change) string {
	what := strings.ReplaceAll(c.Action, "_", " ")
	if c.Action == "sent" {
		what += " to " + string(c.Box)
	}
	if c.Other != 0 {
		what += " (" + c.Other.String() + ")"
	}
	return what
}
