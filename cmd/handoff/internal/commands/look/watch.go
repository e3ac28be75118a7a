package look

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/outlet"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mailbox/life"
	"handoff/schemas"
)

// watching is what watch was asked for.
type watching struct {
	agent, workflow string
	actions         []string // empty for all
	since           uint64
	fromNow         bool
	command         string // for each event
	limit           cli.Seconds
}

func watchCommand(a *cli.App) *cobra.Command {
	w := watching{limit: cli.Seconds{Duration: time.Minute}}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print what happens, as it happens",
		Example: `  handoff watch
  handoff watch --agent qa                  # what qa does, is sent or waits for
  handoff watch --action asked,failed       # only these
  handoff watch --json --since 0            # all that ever happened, then what comes, for programs
  handoff watch --exec 'notify-send "$HANDOFF_EVENT_AGENT $HANDOFF_EVENT_ACTION $HANDOFF_EVENT_HANDOFF"'
  handoff watch --exec 'jq -r .title >>titles.txt' --workflow wf_login`,
		Long: `Prints a line for each event until Ctrl-C, or until nobody reads them any more. With --json each line is an
object whose n is the number of the event: --since N goes on after it. Watching needs no name and changes
nothing; HANDOFF_AGENT does not narrow it, only --agent does.

With --exec a command is run for each event instead, one at a time and in order: a lifecycle hook, as
agent_handoff in the kernl handoffs design. It finds the event as JSON on standard input, and in its
environment HANDOFF_EVENT_N, _ACTION, _HANDOFF, _AGENT (who acted), _BOX (the mailbox), _WORKFLOW and _STATUS
(which it has now), and HANDOFF_WORKSPACE. Nothing of an event is put into the command line, because agents
write what is in it: quote the variables, and take other texts from the JSON. One that fails is reported, and
watching goes on. Ctrl-C is passed on to a command that runs, and a second one kills it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.fromNow = !cmd.Flags().Changed("since")
			if err := w.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return watchUntilDone(cmd.Context(), a, w)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&w.agent, "agent", "",
		"only what concerns this `name`: as who acts, sent or receives it, or works on it")
	flags.StringVar(&w.workflow, "workflow", "", "only of this `workflow`")
	flags.StringSliceVar(&w.actions, "action", nil, "only these `actions`, as events have them: asked,failed,completed")
	flags.Uint64Var(&w.since, "since", 0, "begin after this event `number`; 0 for all there are (default: from now on)")
	flags.StringVar(&w.command, "exec", "", "run this `command` of the shell for each event")
	flags.Var(&w.limit, "exec-timeout", "how long a command may run; bare numbers are seconds")
	return cmd
}

// check finds out before anything is opened what cannot be.
func (w *watching) check(given func(flag string) bool) error {
	switch {
	case given("exec") && w.command == "":
		return schemas.Invalidf("--exec", "no command was given")
	case given("exec-timeout") && !given("exec"):
		return schemas.Invalidf("--exec-timeout", "there is no command to limit").WithHint("Give one with --exec.")
	case w.limit.Duration <= 0:
		return schemas.Invalidf("--exec-timeout", "no time at all")
	}
	for i, action := range w.actions {
		w.actions[i] = strings.ReplaceAll(strings.TrimSpace(action), " ", "_")
		if !slices.Contains(actionNames(), w.actions[i]) {
			return schemas.Invalidf("--action", "there is no action %q", schemas.Visible(action)).
				WithKnown(actionNames()...)
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

// watchUntilDone watches until it is interrupted or nobody reads any more, which is a good end.
func watchUntilDone(ctx context.Context, a *cli.App, w watching) error {
	if w.command == "" && leadsNowhere(a.Stdout) {
		return schemas.Invalidf("", "nobody can read what watch prints: its output is closed, or is %s", os.DevNull).
			WithHint("To act on events instead, run a command for each with --exec.")
	}
	if !signal.Ignored(syscall.SIGHUP) { // else nohup says that it shall outlive its terminal
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
	}
	place, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	signalled := ctx
	ctx, out := outlet.Open(ctx, a.Stdout)
	defer out.Close()
	take := eventPrinter(a, out)
	if w.command != "" {
		take = runner(signalled, a, w, place) // a command is not ended because nobody reads
	}
	for ; place.Untouched(); w.since, w.fromNow = 0, false { // who looks makes none
		if !cli.Sleep(ctx, pauseUnused) {
			return nil
		}
	}
	nobody := schemas.Caller{Via: schemas.ViaCLI}
	err = a.Connect(ctx, nobody, func(conn *cli.Connection) error { return watchEvents(ctx, conn, w, take) })
	if ctx.Err() != nil && cli.Unavailable(err) {
		return nil
	}
	return err
}

// pauseUnused is how often a workspace that nobody has used is looked for.
const pauseUnused = 200 * time.Millisecond

// leadsNowhere tells whether what is written is dropped. A standard stream that was closed when the program
// started is found in the same way: the Go runtime opens the null device in its place.
func leadsNowhere(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(info, null)
}

// watchEvents gives the events that were asked for to take.
func watchEvents(ctx context.Context, conn *cli.Connection, w watching, take func(schemas.Change) error) error {
	after := w.since
	if w.fromNow {
		var newest schemas.NewestOut
		if _, err := conn.Call(ctx, "registry_newest", cli.Arguments{}, &newest); err != nil {
			return err
		}
		after = newest.Event
	}
	if conn.App.IsTerminal(conn.App.Stderr) {
		fmt.Fprintf(conn.App.Stderr, "watching from event %d on; Ctrl-C ends it\n", after+1)
	}
	return follow(ctx, conn.App, conn.Boxes.Changes, after, func(c schemas.Change) error {
		if !w.wants(c) {
			return nil
		}
		return take(c)
	})
}

// wants tells the events that a watcher asked for from others.
func (w watching) wants(c schemas.Change) bool {
	if w.workflow != "" && c.Workflow != schemas.Workflow(w.workflow) {
		return false
	}
	if len(w.actions) > 0 && !slices.Contains(w.actions, c.Action) {
		return false
	}
	agent := schemas.Agent(w.agent)
	return agent == "" || c.Box == schemas.Address(agent) || agent == c.Agent || agent == c.Sender || agent == c.Holder
}

// actionNames are what can be watched for.
func actionNames() (names []string) {
	for _, a := range append(slices.Clone(life.Actions), life.Register, life.Message) {
		names = append(names, string(a))
	}
	return names
}
