package look

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/platform"
)

const (
	mostNeeds = 1_000                  // things that are looked at
	gathering = 100 * time.Millisecond // in which events come together, so that one look is for all of them
	mostTries = 4                      // of a command that fails
	patience  = time.Minute            // for one that runs
)

// need is what a command of status --exec finds on its standard input.
type need struct {
	ID        string `json:"id"` // of the message, else of the handoff
	Workspace string `json:"workspace"`
	Command   string `json:"command"` // with which a person goes on
	schemas.Concern
}

// notifier runs a command for each thing that begins to need a person.
type notifier struct {
	app     *cli.App
	command needCommand
	place   workspace.Workspace
	told    *toldNeeds
	seen    uint64 // the newest event at the last look
	failed  map[string]failure
}

// failure is how often a command failed for one thing, and when it is tried again.
type failure struct {
	tries int
	again time.Time
}

// tellNeeds runs a command for each thing that needs a person and of which none was told, until ctx is done. A command
// that runs then is waited for. The error is conflict where another process tells what needs a person here.
func tellNeeds(ctx context.Context, a *cli.App, line string) error {
	ctx, stop := untilHangup(ctx)
	defer stop()
	place, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	h := &notifier{app: a, place: place, failed: map[string]failure{}, command: needCommand{
		Line: line, Limit: patience, Dir: a.Cwd, Stdout: a.Stdout, Stderr: a.Stderr, Environ: os.Environ(),
	}}
	return withWorkspace(ctx, a, func(conn *cli.Connection, _ bool) error {
		if err := os.MkdirAll(place.Dir, 0o700); err != nil { // in a database a workspace has none
			return schemas.InternalError(err)
		}
		if h.told, err = openTold(place.Dir); errors.Is(err, platform.ErrLocked) {
			return schemas.Errorf(schemas.Conflict, "another status --exec tells what needs you in %s", place.Name).
				WithHint("To tell it in two ways, run one with a command that does both.")
		} else if err != nil {
			return schemas.InternalError(err)
		}
		return errors.Join(h.run(ctx, conn), h.told.Close())
	})
}

// run looks at the beginning, after events, and when a command that failed is to be tried again.
func (h *notifier) run(ctx context.Context, conn *cli.Connection) error {
	again, err := h.look(ctx, conn)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	happened, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		defer stop()
		ended <- follow(ctx, h.app, conn.Boxes.Changes, h.seen, func(schemas.Change) error {
			select {
			case happened <- struct{}{}:
			default: // it is to look anyway
			}
			return nil
		})
	}()
	for ctx.Err() == nil && (err == nil || cli.Unavailable(err)) { // which the one who follows the events tells
		select {
		case <-ctx.Done():
			continue
		case <-happened:
			platform.Sleep(ctx, gathering)
		case <-time.After(again):
		}
		again, err = h.look(ctx, conn)
	}
	if ctx.Err() != nil {
		err = nil
	}
	stop()
	return errors.Join(err, <-ended)
}

// look tells what needs a person and was not told, in the order of attention, and forgets what needs nobody any more.
// It gives the time after which it is to look again if nothing happens.
func (h *notifier) look(ctx context.Context, conn *cli.Connection) (again time.Duration, err error) {
	var out schemas.OverviewOut
	if _, err := conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: mostNeeds}, &out); err != nil {
		return pauseBetween, err
	}
	h.seen, again = out.Counts.Events, time.Minute
	var there []string
	for _, c := range out.NeedsYou.Items {
		key := fmt.Sprintf("%s %s %d", c.Kind, idOf(c), c.Event) // a second question of one handoff is another thing
		there = append(there, key)
		if c.Kind == schemas.ConcernYours || h.told.knows(key) || ctx.Err() != nil { // the person claimed what is theirs
			continue
		}
		if time.Now().After(h.failed[key].again) {
			h.tell(ctx, key, c)
		}
		if f, failed := h.failed[key]; failed {
			again = min(again, time.Until(f.again))
		}
	}
	if len(there) < out.NeedsYou.Total || out.NeedsYou.AtLeast {
		return again, nil // what was not seen may be there
	}
	maps.DeleteFunc(h.failed, func(key string, _ failure) bool { return !slices.Contains(there, key) })
	return again, h.told.keep(there)
}

// tell runs the command for one thing. That it failed is told, and it is tried again later, a few times.
func (h *notifier) tell(ctx context.Context, key string, c schemas.Concern) {
	n := need{ID: idOf(c), Workspace: h.place.Name, Command: commandOf(h.app, c), Concern: c}
	input, err := json.Marshal(n)
	if err == nil {
		err = h.told.tell(ctx, h.command, key, n.environ(), []byte(cli.Inert(input)+"\n"))
	}
	f := h.failed[key]
	delete(h.failed, key)
	if err == nil {
		return
	}
	pause := 10 * time.Second << (2 * f.tries)
	then := fmt.Sprintf("it is run again in %s", pause)
	if f.tries++; f.tries == mostTries {
		then, err = "it is not run again", errors.Join(err, h.told.add(key))
	} else {
		h.failed[key] = failure{f.tries, time.Now().Add(pause)}
	}
	fmt.Fprintf(h.app.Stderr, "handoff: --exec, %s %s: %s; %s\n", n.Kind, n.ID, schemas.Visible(err.Error()), then)
}

// environ are the fields for commands that read no JSON, each on one line and without control characters.
func (n need) environ() []string {
	oneLine := func(text string) string { return schemas.Visible(strings.Join(strings.Fields(text), " ")) }
	return []string{
		"HANDOFF_WORKSPACE=" + n.Workspace,
		"HANDOFF_NEED_KIND=" + string(n.Kind),
		"HANDOFF_NEED_ID=" + n.ID,
		"HANDOFF_NEED_FROM=" + cmp.Or(string(n.Holder), schemas.Sender(n.Rule, n.From)),
		"HANDOFF_NEED_PRIORITY=" + string(cmp.Or(n.Priority, schemas.Normal)),
		"HANDOFF_NEED_TITLE=" + oneLine(heading(n.Title)),
		"HANDOFF_NEED_TEXT=" + oneLine(cmp.Or(n.Reason, heading(n.Title))),
		"HANDOFF_NEED_COMMAND=" + n.Command,
	}
}
