package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/mailbox/draw"
	"handoff/schemas"
)

// A page is what a command prints for people.
type page struct {
	strings.Builder
	terminal.Style
	now time.Time
}

// drawing is the style of pictures on this page.
func (p *page) drawing() draw.Style {
	return draw.Style{Color: p.Colour, Width: p.Width, Now: p.now}
}

// line adds a line. Arguments that agents wrote go through [schemas.Visible] first.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format+"\n", args...)
}

// field adds "name: value" if there is a value.
func (p *page) field(name, value string) {
	if value != "" {
		p.line("%s %s", p.Faint(name+":"), schemas.Visible(value))
	}
}

func (p *page) warn(warnings []string) {
	for _, w := range warnings {
		p.line("%s %s", p.Yellow("warning:"), schemas.Visible(inCommands(w)))
	}
}

func (p *page) mark(met bool) string {
	if met {
		return p.Green("✓")
	}
	return p.Red("✗")
}

// status colours a status by what it asks of its reader.
func (p *page) status(s schemas.Status) string {
	switch s {
	case schemas.Completed:
		return p.Green(string(s))
	case schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Returned:
		return p.Red(string(s))
	case schemas.Waiting:
		return p.Yellow(string(s))
	case schemas.Pending, schemas.Accepted, schemas.Working, schemas.Cancelled:
	}
	return string(s)
}

// print writes the result of a tool as it is with --json, its texts [inert], else the page that fill makes of it.
func (a *app) print(raw json.RawMessage, fill func(*page)) error {
	if a.json {
		return a.write(inert(raw) + "\n")
	}
	p := &page{Style: a.style(), now: a.now()}
	fill(p)
	return a.write(p.String())
}

// printWithMail is print for a command that acted under a name: its page ends with the mail that waits for
// that name, so that an agent sees it without asking.
func (a *app) printWithMail(raw json.RawMessage, fill func(*page)) error {
	return a.print(raw, func(p *page) {
		fill(p)
		var result struct{ Inbox schemas.Inbox }
		if json.Unmarshal(raw, &result) == nil && result.Inbox != (schemas.Inbox{}) {
			p.mail(result.Inbox)
		}
	})
}

func (p *page) mail(i schemas.Inbox) {
	p.field("inbox", fmt.Sprintf("%d pending, %d urgent, %d notices", i.Pending, i.Urgent, i.Notices))
}

func (a *app) write(text string) error {
	if _, err := fmt.Fprint(a.stdout, text); err != nil {
		return schemas.Errorf(schemas.Internal, "write the result: %w", err).
			WithHint("The call itself was made.")
	}
	return nil
}
