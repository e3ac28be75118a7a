package look

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/output"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/schemas/display"
	"handoff/tools/platform"
)

// watchOptions holds the options of watch.
type watchOptions struct {
	agent, workflow string
	handoff         schemas.ID // 0 for all
	actions         []string   // empty for all
	since           uint64
	fromNow         bool
}

func watchCommand(a *cli.App) *cobra.Command {
	var w watchOptions
	cmd := &cobra.Command{
		Use:  "watch [ID | WORKFLOW]",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			for _, item := range given {
				if id, ok := schemas.ParseID(item); ok {
					w.handoff = id
				} else {
					w.workflow = item
				}
			}
			w.fromNow = !cmd.Flags().Changed("since")
			if err := w.validate(); err != nil {
				return err
			}
			return watchUntilDone(cmd.Context(), a, w)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&w.agent, "agent", "",
		"only events about this `name`: its actions, and handoffs that it sent, received or holds")
	flags.StringVar(&w.workflow, "workflow", "", "only of this `workflow`")
	flags.StringSliceVar(&w.actions, "action", nil, "only these `actions`, by their names in events: asked,failed,completed")
	flags.Uint64Var(&w.since, "since", 0, "begin after this event `number`; 0 for all there are (default: from now on)")
	return cmd
}

// validate finds faults in the options before it opens anything.
func (w *watchOptions) validate() error {
	for i, action := range w.actions {
		w.actions[i] = strings.ReplaceAll(strings.TrimSpace(action), " ", "_")
		if !slices.Contains(actionNames(), w.actions[i]) {
			known := closest.SortByLikelihood(w.actions[i], actionNames())
			return schemas.Invalidf("--action", "there is no action %q", schemas.EscapeHidden(action)).WithChoices(known...)
		}
	}
	if w.agent != "" {
		if _, err := schemas.ParseAgent("--agent", w.agent); err != nil {
			return err
		}
	}
	if w.workflow != "" {
		name, err := schemas.ParseWorkflow("--workflow", w.workflow)
		w.workflow = string(name)
		return err
	}
	return nil
}

// watchUntilDone prints events until the user interrupts it or no process reads its output. Neither end is an error.
func watchUntilDone(ctx context.Context, a *cli.App, w watchOptions) error {
	ctx, stop := contextUntilHangup(ctx)
	defer stop()
	ctx, out := output.StartWriter(ctx, a.Stdout)
	defer out.Close()
	take := newEventPrinter(a, out)
	return withWorkspace(ctx, a, func(conn *cli.Connection, waited bool) error {
		after := w.since
		if w.handoff != 0 {
			if _, err := conn.Call(ctx, "get_handoff", cli.Arguments{"handoff_id": w.handoff.String()}, nil); err != nil {
				return err
			}
		}
		switch {
		case waited:
			after = 0
		case w.fromNow:
			var newest schemas.NewestOut
			if _, err := conn.Call(ctx, "registry_newest", cli.Arguments{}, &newest); err != nil {
				return err
			}
			after = newest.Event
		}
		if a.IsTerminal(a.Stderr) {
			fmt.Fprintf(a.Stderr, "watching from event %d on; Ctrl-C ends it\n", after+1)
		}
		return followEvents(ctx, a, conn.Boxes.Changes, after, func(c schemas.RegistryChange) error {
			if w.includesEvent(c) {
				return take(c)
			}
			return nil
		})
	})
}

// contextUntilHangup returns a context that ends when the terminal is closed, unless the program runs under nohup.
func contextUntilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return ctx, func() {}
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// withWorkspace opens the workspace for reading while fn runs, without an agent name. It creates no workspace. If there
// is no store, it waits until another process creates one, and then passes waited = true to fn. After ctx is done, an
// unavailable store is no error.
func withWorkspace(ctx context.Context, a *cli.App, fn func(conn *cli.Connection, waited bool) error) error {
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return err
	}
	waited := false
	for ; ws.IsStoreMissing() && !a.UsesDatabase(); waited = true {
		if !platform.Sleep(ctx, pauseUnused) {
			return nil
		}
	}
	err = a.Connect(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *cli.Connection) error { return fn(conn, waited) })
	if ctx.Err() != nil && cli.IsUnavailable(err) {
		return nil
	}
	return err
}

// pauseUnused is the time between two checks of an unused workspace.
const pauseUnused = 200 * time.Millisecond

// includesEvent reports whether the options select an event.
func (w watchOptions) includesEvent(c schemas.RegistryChange) bool {
	agent := schemas.Agent(w.agent)
	return (w.handoff == 0 || w.handoff == c.Handoff) && (w.workflow == "" || c.Workflow == schemas.Workflow(w.workflow)) &&
		(len(w.actions) == 0 || slices.Contains(w.actions, c.Action) || slices.Contains(w.actions, cmp.Or(c.Needs, "none"))) &&
		(agent == "" || agent == schemas.Human && c.Needs != "" || c.Box == schemas.Address(agent) || agent == c.Agent || agent == c.Sender || agent == c.Holder)
}

// actionNames returns the values for --action.
func actionNames() []string {
	return schemas.FormatAll(append(slices.Clone(life.Actions), life.Register, life.Message, schemas.NeedsApproval, schemas.NeedsPermission))
}

// newEventPrinter returns a function that prints each event at once. For people an event is a line. With --json it is
// an object.
func newEventPrinter(a *cli.App, out io.Writer) func(schemas.RegistryChange) error {
	return func(c schemas.RegistryChange) error {
		p := &cli.Page{Style: a.Style()}
		if a.JSON {
			raw, _ := json.Marshal(c) // it was decoded from JSON
			p.AddLine("%s", cli.EscapedJSON(raw))
		} else {
			printEvent(p, c)
		}
		if _, err := io.WriteString(out, p.String()); err != nil {
			return schemas.Errorf(schemas.Internal, "print event %d: %w", c.N, err)
		}
		return nil
	}
}

// printEvent prints an event: its time, handoff or notice, agent, action, title and text. On a terminal, long lines
// continue below the text column.
func printEvent(p *cli.Page, c schemas.RegistryChange) {
	id := cmp.Or(c.Handoff.String(), c.Notice.String())
	title, text := display.FitOneLine(stripHeading(c.Title), maxTitle), display.FitOneLine(c.Text, maxText)
	if !p.Terminal {
		p.AddLine("%s\t%s\t%s\t%s\t%s\t%s", c.At.Format(time.RFC3339), id, c.Agent, describeEvent(c), title, text)
		return
	}
	when := formatClockTime(p, c.At)
	did := string(c.Agent) + " " + describeEvent(c)
	rest := did
	for _, more := range []string{title, text} {
		if more != "" && !strings.HasSuffix(rest, more) {
			rest += ": " + more
		}
	}
	begins := len(when) + 2 + max(len(id), 6) + 2
	lines := p.SplitLines(rest, begins)
	if more, ok := strings.CutPrefix(lines[0], did); ok {
		lines[0] = p.ColourByState(display.StateFacts{Status: c.To}, did) + more
	}
	p.AddLine("%s  %s  %s", p.Faint(when), p.Bold(fmt.Sprintf("%-6s", id)), lines[0])
	for _, line := range lines[1:] {
		p.AddLine("%s%s", strings.Repeat(" ", begins), line)
	}
}

// maxText is the largest width of the text of an event, in columns.
const maxText = 300

// formatClockTime returns the time of day of an event. For an event of another day it adds the date.
func formatClockTime(p *cli.Page, at time.Time) string {
	at = at.In(p.Now.Location())
	if at.Format(time.DateOnly) == p.Now.Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}

// describeEvent returns the action of an event in the words of the registry.
func describeEvent(c schemas.RegistryChange) string {
	what := strings.ReplaceAll(c.Action, "_", " ")
	if verb := map[string]string{"sent": "sent", "message": "wrote"}[c.Action]; verb != "" {
		what = verb + " to " + string(c.Box)
	}
	what += schemas.WithPrefix(", needs ", c.Needs)
	switch {
	case c.Action == "ready" && c.Other != 0:
		what = "freed it from " + c.Other.String() // it may still depend on other handoffs, as the text tells
	case c.Other != 0:
		what += " (" + c.Other.String() + ")"
	}
	return what
}

// changeStream yields the events with a number greater than after, and then waits for new events. The method Changes of
// [tools.Invoker] has this type.
type changeStream func(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error]

// pauseBetween is the pause after a stream broke off.
const pauseBetween = time.Second

// followEvents calls take for each event with a number greater than after, in order. It ends when ctx is done or take
// returns an error. If the store is unavailable, it reports the outage once and waits. After an outage it may pass one
// event a second time.
func followEvents(ctx context.Context, a *cli.App, stream changeStream, after uint64, take func(schemas.RegistryChange) error) error {
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
		case broke != nil && !cli.IsUnavailable(broke):
			return broke
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it broke because ctx ended
		case broke != nil && !told:
			told = true
			a.PrintError(schemas.AsError(broke), "Watching goes on as soon as that is over.")
		}
		platform.Sleep(ctx, pauseBetween)
	}
}
