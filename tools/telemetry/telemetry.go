// Package telemetry exports metrics of a workspace for Prometheus and spans for OpenTelemetry.
//
// No package below imports it. It gets its data through a [tools.Invoker], in three ways:
//
//	calls      a decorator of the Invoker that agents call through       → counts, latencies, a span for each
//	changes    the registry of events, followed by number                → transitions, expiries, spans of handoffs
//	figures    the tool workspace_stats, called when metrics are read    → handoffs by state, mailboxes, commits
//
// [Metrics] writes metrics in the text format of Prometheus. [Traces] makes one trace of each workflow and sends it to
// a collector as OTLP/HTTP with JSON. It computes the ids of traces and spans from the names of workspace, workflow and
// handoff. So every process computes the same ids, and a link may refer to a span that is sent later:
//
//	handoff ho_1 ─┬─ queued     from sent to claimed
//	              ├─ working    from claimed to asked
//	              ├─ waiting    from asked to answered
//	              ├─ queued
//	              ├─ working    from claimed to completed
//	              └─ handoff ho_2, which continues it ── …
//
// Metrics and traces contain no text of an agent: no title, task, summary, note or result.
//
// Both are off by default, and then cost nothing. A server counts metrics only if its settings ask for them, and makes
// spans only if the environment names a collector. Libraries that build large tables at the start of the program would
// slow down every command and hook. So this package encodes spans as JSON itself, without the exporter of
// OpenTelemetry, which links gRPC.
//
// A call of an agent never fails and never waits because of this package. Data that cannot be read or sent is left out,
// and a line in the log says so.
//
// The usual client libraries of Prometheus and OTLP link protobuf and gRPC. Their registries would take 0.8 and 0.7 ms
// of a start that takes 10 ms. So this package uses the library VictoriaMetrics/metrics, and a test refuses imports of
// the heavy packages.
//
// Every long-running process with a collector sends traces, so no trace is missing if the owner of the store has no
// collector. If two processes send the same span, both use the same ids, so the collector keeps the span once.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
)

// followRegistry calls fn with every event that is added to the registry from now on, in order, until ctx is done. Then
// it calls fn with the events that were added before ctx was done. After an error of the registry or of fn, it pauses
// and continues with the failed event. So fn must have no effect if it returns an error.
//
// The pauses grow from 100 ms to 10 seconds, and begin again at 100 ms after an event. Fn is called on this goroutine.
// Events from before the first successful call of the registry are not seen.
func followRegistry(ctx context.Context, inv tools.Invoker, log *slog.Logger, fn func(context.Context, schemas.RegistryChange) error) {
	const shortest, longest = 100 * time.Millisecond, 10 * time.Second
	pause := shortest
	reached := registryPosition{}
	defer func() { reached.followToNewest(context.WithoutCancel(ctx), inv, fn) }()
	for ; ctx.Err() == nil; pause = min(2*pause, longest) {
		before := reached
		err := reached.follow(ctx, inv, fn)
		if ctx.Err() != nil {
			return
		}
		if reached != before {
			pause = shortest
		}
		log.WarnContext(ctx, "the registry cannot be followed just now", slog.Any("cause", err))
		platform.Sleep(ctx, pause)
	}
}

// registryPosition is the point up to which the registry was followed.
type registryPosition struct {
	known bool
	after uint64 // the number of the last event
}

// follow calls fn with the events after the position, and moves the position after each event that fn accepted. It
// returns the first error, and never nil. The first successful call begins at the newest event. Later calls continue at
// the position, so that no event is lost while the registry cannot be read.
func (p *registryPosition) follow(ctx context.Context, inv tools.Invoker, fn func(context.Context, schemas.RegistryChange) error) error {
	if !p.known {
		newest, err := tools.InvokeTyped[schemas.NewestOut](ctx, inv, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
		if err != nil {
			return err
		}
		*p = registryPosition{known: true, after: newest.Event}
	}
	for c, err := range inv.Changes(ctx, p.after) {
		if err == nil {
			err = fn(ctx, c)
		}
		if err != nil {
			return err
		}
		p.after = c.N
	}
	return errors.New("the registry ended")
}

// finishLimit is the time in which a follower may read the remaining events after its ctx ended.
const finishLimit = 200 * time.Millisecond

// followToNewest calls fn with the remaining events, up to the present newest event. Without it, the last call of a
// client would often not be counted, because the server ends right after it.
func (p *registryPosition) followToNewest(ctx context.Context, inv tools.Invoker, fn func(context.Context, schemas.RegistryChange) error) {
	if !p.known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, finishLimit)
	defer cancel()
	newest, err := tools.InvokeTyped[schemas.NewestOut](ctx, inv, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
	if err != nil || newest.Event <= p.after {
		return
	}
	_ = p.follow(ctx, inv, func(ctx context.Context, c schemas.RegistryChange) error {
		err := fn(ctx, c)
		if err == nil && c.N >= newest.Event {
			cancel()
		}
		return err
	})
}
