package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"handoff/schemas"
)

// printer prints each event as it comes: a line for people, or an object for programs.
func (a *app) printer(out io.Writer) func(schemas.Change) error {
	style := a.style()
	return func(c schemas.Change) error {
		line, err := "", error(nil)
		if a.json {
			line, err = inertEvent(c)
		} else {
			p := &page{Style: style, now: a.now()}
			p.happening(c)
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
	return inert(raw) + "\n", err
}

// happening adds a line for an event: when, which handoff, who, what, and its title.
func (p *page) happening(c schemas.Change) {
	id, who, what, title := c.Handoff.String(), string(c.Agent), happened(c), strings.Join(strings.Fields(schemas.Visible(c.Title)), " ")
	if !p.Terminal {
		p.line("%s\t%s\t%s\t%s\t%s", c.At.Format(time.RFC3339), id, who, what, title)
		return
	}
	// The columns are wide enough for most lines, and none waits for a longer one.
	line := fmt.Sprintf("%s  %s  %-14s  %-24s  %s", p.Faint(p.clock(c.At)), p.Bold(fmt.Sprintf("%-6s", id)), who, what, title)
	p.line("%s", strings.TrimRight(line, " "))
}

// clock is the time of day, with the date unless it is that of now.
func (p *page) clock(at time.Time) string {
	at = at.In(p.now.Location())
	if at.Format(time.DateOnly) == p.now.Format(time.DateOnly) {
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
