package look

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/onevent"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay/platform"
)

const (
	mostNeeds  = 1_000                  // things that are looked at
	gathering  = 100 * time.Millisecond // in which events come together, so that one look is for all of them
	mostTries  = 4                      // of a command that fails
	firstPause = 10 * time.Second       // before the second try; each pause after it is six times as long
)

// need is what a command of status --exec finds on its standard input.
type need struct {
	ID        string `json:"id"` // of the message, else of the handoff
	Workspace string `json:"workspace"`
	Command   string `json:"command"` // with which a person goes on
	schemas.Concern
}

// herald runs a command for each thing that begins to need a person.
type herald struct {
	app     *cli.App
	command onevent.Command
	place   workspace.Workspace
	told    *onevent.Told
	failed  map[string]failure // by thing
}

// failure is what became of a command that failed.
type failure struct {
	tries int
	again time.Time
}

// tellNeeds runs a command for each thing that needs a person and of which none was told, until ctx is done.
func tellNeeds(ctx context.Context, a *cli.App, line string, limit time.Duration) error {
	ctx, stop := hangingUp(ctx)
	defer stop()
	place, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	h := &herald{app: a, place: place, failed: map[string]failure{}, command: onevent.Command{
		Line: line, Limit: limit, Dir: a.Cwd, Stdout: a.Stdout, Stderr: a.Stderr, Environ: os.Environ(),
	}}
	return onceUsed(ctx, a, func(conn *cli.Connection, _ bool) error {
		if h.told, err = alone(ctx, a, place.Dir); h.told == nil {
			return err
		}
		return errors.Join(h.run(ctx, conn), h.told.Close())
	})
}

// alone opens what was told once no other process has it; nil when ctx is done before.
func alone(ctx context.Context, a *cli.App, dir string) (*onevent.Told, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil { // in a database a workspace has none
		return nil, schemas.InternalError(err)
	}
	for waits := false; ; waits = true {
		told, err := onevent.OpenTold(dir)
		if !errors.Is(err, platform.ErrLocked) {
			return told, err
		}
		if !waits {
			fmt.Fprintln(a.Stderr, "handoff: another status --exec tells what needs you here; this one goes on when that has ended")
		}
		if !cli.Sleep(ctx, pauseUnused) {
			return nil, nil
		}
	}
}

// run looks at the beginning, after events, and when a command that failed is to be tried again.
func (h *herald) run(ctx context.Context, conn *cli.Connection) error {
	var newest schemas.NewestOut
	if _, err := conn.Call(ctx, "registry_newest", cli.Arguments{}, &newest); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	happened, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		ended <- follow(ctx, h.app, conn.Boxes.Changes, newest.Event, func(schemas.Change) error {
			select {
			case happened <- struct{}{}:
			default: // it is to look anyway
			}
			return nil
		})
	}()
	err := h.lookAfter(ctx, conn, happened, ended)
	stop()
	return errors.Join(err, <-ended)
}

// lookAfter looks again and again until ctx is done, or nothing tells of events any more.
func (h *herald) lookAfter(ctx context.Context, conn *cli.Connection, happened <-chan struct{}, ended chan error) error {
	for {
		again, err := h.look(ctx, conn)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it failed because ctx ended
		case err != nil && !cli.Unavailable(err):
			return err
		case err != nil: // which the one who follows the events tells
			again = pauseBetween
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			ended <- nil
			return err
		case <-happened:
			cli.Sleep(ctx, gathering)
		case <-time.After(again):
		}
	}
}

// look tells what needs a person and was not told, in the order of attention, and forgets what needs nobody any more. It
// gives the time after which it is to look again if nothing happens.
func (h *herald) look(ctx context.Context, conn *cli.Connection) (again time.Duration, err error) {
	var out schemas.OverviewOut
	if _, err := conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: mostNeeds}, &out); err != nil {
		return 0, err
	}
	var there []string
	again = time.Minute
	for _, c := range out.NeedsYou.Items {
		key := keyOf(c)
		there = append(there, key)
		if c.Kind == schemas.ConcernYours || h.told.Knows(key) || ctx.Err() != nil { // who claims knows of it
			continue
		}
		if wait := time.Until(h.failed[key].again); wait > 0 {
			again = min(again, wait)
		} else if err := h.tell(ctx, key, c); err != nil {
			again = min(again, time.Until(h.failed[key].again))
		}
	}
	if len(there) < out.NeedsYou.Total || out.NeedsYou.AtLeast {
		return again, nil // what was not seen may be there
	}
	return again, h.told.Keep(there)
}

// keyOf is what makes a concern another than those that were told: a second question of one handoff is one.
func keyOf(c schemas.Concern) string { return fmt.Sprintf("%s %s %d", c.Kind, idOf(c), c.Event) }

// tell runs the command for one thing. One that fails is tried again later, a few times.
func (h *herald) tell(ctx context.Context, key string, c schemas.Concern) error {
	n := need{ID: idOf(c), Workspace: h.place.Name, Command: commandOf(h.app, c), Concern: c}
	input, err := json.Marshal(n)
	if err != nil {
		return schemas.InternalError(err)
	}
	running, stop := lasting(ctx)
	defer stop()
	if err = h.told.Tell(running, h.command, key, n.environ(), []byte(cli.Inert(input)+"\n")); err == nil {
		delete(h.failed, key)
		return nil
	}
	f := h.failed[key]
	pause := firstPause
	for range f.tries {
		pause *= 6
	}
	f = failure{f.tries + 1, time.Now().Add(pause)}
	h.failed[key] = f
	then := fmt.Sprintf("it is run again in %s", pause)
	if f.tries == mostTries || h.told.Knows(key) { // it was ended with this program, and may have told
		then = "it is not run again"
		delete(h.failed, key)
		err = errors.Join(err, h.told.Add(key))
	}
	fmt.Fprintf(h.app.Stderr, "handoff: --exec, %s %s: %s; %s\n", n.Kind, n.ID, schemas.Visible(err.Error()), then)
	return err
}

// graceAtEnd is how long a command that runs may go on when its herald is to end: one that is cut off may have told.
const graceAtEnd = 5 * time.Second

// lasting is done that long after ctx.
func lasting(ctx context.Context) (context.Context, func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		cli.Sleep(longer, graceAtEnd)
		cancel(context.Cause(ctx))
	})
	return longer, func() {
		stop()
		cancel(context.Canceled)
	}
}

// environ are the fields for commands that read no JSON, each on one line and without control characters.
func (n need) environ() []string {
	return []string{
		"HANDOFF_WORKSPACE=" + n.Workspace,
		"HANDOFF_NEED_KIND=" + string(n.Kind),
		"HANDOFF_NEED_ID=" + n.ID,
		"HANDOFF_NEED_FROM=" + string(cmp.Or(n.Holder, n.From)),
		"HANDOFF_NEED_PRIORITY=" + string(cmp.Or(n.Priority, schemas.Normal)),
		"HANDOFF_NEED_TITLE=" + oneLine(heading(n.Title)),
		"HANDOFF_NEED_TEXT=" + oneLine(cmp.Or(n.Reason, heading(n.Title))),
		"HANDOFF_NEED_COMMAND=" + n.Command,
	}
}

func oneLine(text string) string { return schemas.Visible(strings.Join(strings.Fields(text), " ")) }
