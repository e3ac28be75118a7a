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
	maxNeeds       = 1_000                  // concerns that are read
	eventPause     = 100 * time.Millisecond // waiting time after an event, so that one reading covers several events
	maxTries       = 4                      // of a command that fails
	commandTimeout = time.Minute            // for one run of the command
)

// needInput is the JSON input of the command of status --exec.
type needInput struct {
	ID        string `json:"id"` // of the message, else of the handoff
	Workspace string `json:"workspace"`
	Command   string `json:"command"` // the next step of the person
	schemas.OverviewEntry
}

// notifier runs a command for each new concern of a person.
type notifier struct {
	app       *cli.App
	command   needCommand
	workspace workspace.Workspace
	notified  *commandRecord
	lastEvent uint64 // the newest event at the last check
	failed    map[string]failureCount
}

// failureCount counts the failed runs of the command for one concern. The field again is the time of the next run.
type failureCount struct {
	tries int
	again time.Time
}

// notifyOfNeeds runs a command once for each concern of a person, until ctx is done. It then waits for the end of a
// running command. The error is conflict if another process notifies for the same workspace.
func notifyOfNeeds(ctx context.Context, a *cli.App, line string) error {
	ctx, stop := contextUntilHangup(ctx)
	defer stop()
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return err
	}
	h := &notifier{app: a, workspace: ws, failed: map[string]failureCount{}, command: needCommand{
		Line: line, Limit: commandTimeout, Dir: a.Cwd, Stdout: a.Stdout, Stderr: a.Stderr, Environ: os.Environ(),
	}}
	return withWorkspace(ctx, a, func(conn *cli.Connection, _ bool) error {
		if err := os.MkdirAll(ws.Dir, 0o700); err != nil { // in a database a workspace has no directory
			return schemas.InternalError(err)
		}
		if h.notified, err = openCommandRecord(ws.Dir); errors.Is(err, platform.ErrLocked) {
			return schemas.Errorf(schemas.Conflict, "another status --exec tells what needs you in %s", ws.Name).
				WithHint("To tell it in two ways, run one with a command that does both.")
		} else if err != nil {
			return schemas.InternalError(err)
		}
		return errors.Join(h.run(ctx, conn), h.notified.Close())
	})
}

// run looks for new concerns at the start and after each event of the workspace. It also looks when a failed command is
// due for another run.
func (h *notifier) run(ctx context.Context, conn *cli.Connection) error {
	again, err := h.checkConcerns(ctx, conn)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	happened, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		defer stop()
		ended <- followEvents(ctx, h.app, conn.Boxes.Changes, h.lastEvent, func(schemas.RegistryChange) error {
			select {
			case happened <- struct{}{}:
			default: // a check is due anyway
			}
			return nil
		})
	}()
	for ctx.Err() == nil && (err == nil || cli.IsUnavailable(err)) { // follow reports that the store is unavailable
		select {
		case <-ctx.Done():
			continue
		case <-happened:
			platform.Sleep(ctx, eventPause)
		case <-time.After(again):
		}
		again, err = h.checkConcerns(ctx, conn)
	}
	if ctx.Err() != nil {
		err = nil
	}
	stop()
	return errors.Join(err, <-ended)
}

// checkConcerns runs the command for each new concern, the most urgent concern first. It forgets concerns that no
// longer exist. It returns the time after which the caller must check again, even if no event has arrived.
func (h *notifier) checkConcerns(ctx context.Context, conn *cli.Connection) (again time.Duration, err error) {
	var out schemas.OverviewOut
	if _, err := conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: maxNeeds}, &out); err != nil {
		return pauseBetween, err
	}
	h.lastEvent, again = out.Counts.Events, time.Minute
	var there []string
	for _, c := range out.NeedsYou.Items {
		key := fmt.Sprintf("%s %s %d", c.Kind, concernID(c), c.Event) // a second question about one handoff is another concern
		there = append(there, key)
		if c.Kind == schemas.ConcernYours || h.notified.hasRunFor(key) || ctx.Err() != nil { // the person claimed it
			continue
		}
		if time.Now().After(h.failed[key].again) {
			h.notifyConcern(ctx, key, c)
		}
		if f, failed := h.failed[key]; failed {
			again = min(again, time.Until(f.again))
		}
	}
	if len(there) < out.NeedsYou.Total || out.NeedsYou.AtLeast {
		return again, nil // the concerns that were not read may still exist
	}
	maps.DeleteFunc(h.failed, func(key string, _ failureCount) bool { return !slices.Contains(there, key) })
	return again, h.notified.keepOnlyConcerns(there)
}

// notifyConcern runs the command for one concern. If the command fails, it reports the failure and plans another run.
// After maxTries failures it plans no more runs.
func (h *notifier) notifyConcern(ctx context.Context, key string, c schemas.OverviewEntry) {
	n := needInput{ID: concernID(c), Workspace: h.workspace.Name, Command: concernCommand(h.app, c), OverviewEntry: c}
	input, err := json.Marshal(n)
	if err == nil {
		err = h.notified.run(ctx, h.command, key, n.environment(), []byte(cli.EscapedJSON(input)+"\n"))
	}
	f := h.failed[key]
	delete(h.failed, key)
	if err == nil {
		return
	}
	pause := 10 * time.Second << (2 * f.tries)
	then := fmt.Sprintf("it is run again in %s", pause)
	if f.tries++; f.tries == maxTries {
		then, err = "it is not run again", errors.Join(err, h.notified.addConcern(key))
	} else {
		h.failed[key] = failureCount{f.tries, time.Now().Add(pause)}
	}
	fmt.Fprintf(h.app.Stderr, "handoff: --exec, %s %s: %s; %s\n", n.Kind, n.ID, schemas.EscapeHidden(err.Error()), then)
}

// environment returns the fields of the concern as environment variables, for commands that read no JSON. Each value is
// one line without control characters.
func (n needInput) environment() []string {
	oneLine := func(text string) string { return schemas.EscapeHidden(strings.Join(strings.Fields(text), " ")) }
	return []string{
		"HANDOFF_WORKSPACE=" + n.Workspace,
		"HANDOFF_NEED_KIND=" + string(n.Kind),
		"HANDOFF_NEED_ID=" + n.ID,
		"HANDOFF_NEED_FROM=" + cmp.Or(string(n.Holder), schemas.SenderLine(n.Rule, n.From)),
		"HANDOFF_NEED_PRIORITY=" + string(cmp.Or(n.Priority, schemas.Normal)),
		"HANDOFF_NEED_TITLE=" + oneLine(stripHeading(n.Title)),
		"HANDOFF_NEED_TEXT=" + oneLine(cmp.Or(n.Reason, stripHeading(n.Title))),
		"HANDOFF_NEED_COMMAND=" + n.Command,
	}
}
