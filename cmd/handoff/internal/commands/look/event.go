package look

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/onevent"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mailbox/draw"
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

// printEvent adds an event: when, which handoff or notice, who did what, its title, and what was said. On a terminal
// long lines go on behind the first columns.
func printEvent(p *cli.Page, c schemas.Change) {
	id := cmp.Or(c.Handoff.String(), c.Notice.String())
	title, text := draw.OneLine(heading(c.Title), mostOfTitle), draw.OneLine(c.Text, mostSaid)
	if !p.Terminal {
		p.Line("%s\t%s\t%s\t%s\t%s\t%s", c.At.Format(time.RFC3339), id, c.Agent, happened(c), title, text)
		return
	}
	when := clockTime(p, c.At)
	did := string(c.Agent) + " " + happened(c)
	rest := did
	for _, more := range []string{title, text} {
		if more != "" && !strings.HasSuffix(rest, more) {
			rest += ": " + more
		}
	}
	begins := len(when) + 2 + max(len(id), 6) + 2
	lines := p.Lines(rest, begins)
	if more, ok := strings.CutPrefix(lines[0], did); ok {
		lines[0] = p.OfState(draw.State{Status: c.To}, did) + more
	}
	p.Line("%s  %s  %s", p.Faint(when), p.Bold(fmt.Sprintf("%-6s", id)), lines[0])
	for _, line := range lines[1:] {
		p.Line("%s%s", strings.Repeat(" ", begins), line)
	}
}

// mostSaid is how many columns of what was said are shown with an event.
const mostSaid = 300

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
	if c.Action == "sent" || c.Action == "message" {
		what = map[string]string{"sent": "sent", "message": "wrote"}[c.Action] + " to " + string(c.Box)
	}
	switch {
	case c.Action == "ready" && c.Other != 0:
		what = "freed it from " + c.Other.String() // for others it may wait all the same, as the text tells
	case c.Other != 0:
		what += " (" + c.Other.String() + ")"
	}
	return what
}

// runner runs the command of watch --exec for each event. That it failed is told, and no reason to stop.
func runner(ctx context.Context, a *cli.App, w watching, place workspace.Workspace) func(schemas.Change) error {
	command := onevent.Command{
		Line: w.command, Limit: w.limit.Duration, Dir: a.Cwd, Stdout: a.Stdout, Stderr: a.Stderr,
		Environ: append(os.Environ(), "HANDOFF_WORKSPACE="+place.Name),
	}
	return func(c schemas.Change) error {
		event, err := inertEvent(c)
		if err == nil {
			err = command.Run(ctx, c, []byte(event))
		}
		if err != nil {
			why := schemas.Visible(err.Error())
			fmt.Fprintf(a.Stderr, "handoff: --exec, event %d (%s %s): %s\n", c.N, c.Handoff, c.Action, why)
		}
		return nil
	}
}

// changes yields the events after a number and waits for more, as that of [tools.Invoker] does.
type changes func(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error]

// pauseBetween is how long a stream that broke off is left alone.
const pauseBetween = time.Second

// follow gives each event after a number to take, in order, until ctx is done or take fails. What take did is not
// done again, except that an event for which the store was unavailable comes once more. Then the store is waited
// for, which is told once, until events come again.
func follow(ctx context.Context, a *cli.App, stream changes, after uint64, take func(schemas.Change) error) error {
	for told := false; ; {
		var broke error
		for c, err := range stream(ctx, after) {
			if broke = err; broke == nil {
				broke = take(c)
			}
			if broke != nil || ctx.Err() != nil {
				break
			}
			after, told = c.N, false
		}
		switch {
		case broke != nil && !cli.Unavailable(broke):
			return broke
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it broke because ctx ended
		case broke != nil && !told:
			told = true
			a.PrintError(schemas.AsError(broke), "Watching goes on as soon as that is over.")
		}
		cli.Sleep(ctx, pauseBetween)
	}
}
