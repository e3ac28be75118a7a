// Package observe lets people watch a workspace: figures for Prometheus and spans for OpenTelemetry.
//
// Nothing below knows that it is watched. What is shown comes from three places, all at [tools.Invoker]:
//
//	calls      a decorator of the Invoker that agents call through    → counts, latencies, a span for each
//	changes    the registry, followed by number                       → transitions, expiries, spans of handoffs
//	figures    the tool workspace_stats, asked when figures are read  → handoffs by state, mailboxes, commits
//
// [Metrics] writes the figures in the text format of Prometheus. [Traces] makes one trace of each workflow and
// sends it to a collector as OTLP/HTTP with JSON. Its ids are computed from the names of workspace, workflow
// and handoff, so every process derives the same and a span can be linked to before it was sent:
//
//	handoff ho_1 ─┬─ queued     from sent to claimed
//	              ├─ working    from claimed to asked
//	              ├─ waiting    from asked to answered
//	              ├─ queued
//	              ├─ working    from claimed to completed
//	              └─ handoff ho_2, which continues it ── …
//
// What agents say to each other enters neither: no title, task, summary, note or result.
package observe

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// follow calls fn with every event of the registry that is added from now on, in order, until ctx is done.
// After an error, of the registry or of fn, it goes on with the event at which it stopped.
func follow(ctx context.Context, inv tools.Invoker, log *slog.Logger, fn func(schemas.Change) error) {
	const shortest, longest = 100 * time.Millisecond, 10 * time.Second
	pause := shortest
	for from := (place{}); ctx.Err() == nil; pause = min(2*pause, longest) {
		was := from
		err := from.follow(ctx, inv, fn)
		if ctx.Err() != nil {
			return
		}
		if from != was {
			pause = shortest
		}
		log.WarnContext(ctx, "the registry cannot be followed just now", slog.Any("cause", err))
		wait(ctx, pause)
	}
}

// place is how far a registry was followed.
type place struct {
	known bool
	after uint64 // the number of the last event that was seen
}

func (p *place) follow(ctx context.Context, inv tools.Invoker, fn func(schemas.Change) error) error {
	if !p.known {
		newest, err := tools.Ask[schemas.NewestOut](ctx, inv, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
		if err != nil {
			return err
		}
		*p = place{known: true, after: newest.Event}
	}
	for c, err := range inv.Changes(ctx, p.after) {
		if err == nil {
			err = fn(c)
		}
		if err != nil {
			return err
		}
		p.after = c.N
	}
	return errors.New("the registry ended")
}

// wait pauses, and tells whether that was not cut short.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
