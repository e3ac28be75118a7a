// Package telemetry exports metrics of a workspace for Prometheus and spans for OpenTelemetry.
//
// No package below knows it. Its data comes from [tools.Invoker], in three ways:
//
//	calls      a decorator of the Invoker that agents call through       → counts, latencies, a span for each
//	changes    the registry of events, followed by number                → transitions, expiries, spans of handoffs
//	figures    the tool workspace_stats, called when metrics are read    → handoffs by state, mailboxes, commits
//
// [Metrics] writes metrics in the text format of Prometheus. [Traces] makes one trace of each workflow and sends it
// to a collector as OTLP/HTTP with JSON. Ids of traces and spans are computed from the names of workspace, workflow
// and handoff, so every process computes the same ids, and a link can name a span before it was sent:
//
//	handoff ho_1 ─┬─ queued     from sent to claimed
//	              ├─ working    from claimed to asked
//	              ├─ waiting    from asked to answered
//	              ├─ queued
//	              ├─ working    from claimed to completed
//	              └─ handoff ho_2, which continues it ── …
//
// Neither exports texts of agents: no title, task, summary, note or result.
//
// Both are off by default and cost nothing then: a server counts metrics if it was asked to show them, and makes spans
// if the environment names a collector. Libraries that build large tables when the program starts are not used, because
// every command and hook would take longer. So this package encodes spans as JSON itself, and does not use the exporter
// of OpenTelemetry, which links gRPC.
//
// Neither ever fails or delays a call of an agent. Data that cannot be read or sent is left out and logged.
//
// The usual client libraries of Prometheus and OTLP link protobuf and gRPC, whose registries take 0.8 and 0.7 ms of a
// start of 10. VictoriaMetrics/metrics keeps the metrics instead. A test keeps the heavy packages out.
//
// Every process that stays sends traces, so none is missing if the owner of the store has no collector. Two processes
// then send the same span of a handoff under the same ids, and a collector has it once.
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

// followRegistry calls fn with every event that is added to the registry from now on, in order, until ctx is done, and then
// with the events that had arrived by then. After an error of the registry or of fn it pauses, and goes on with the
// failed event.
//
// The pauses are 100 ms at first, then twice as long each time up to 10 seconds, and 100 ms again after an event. Fn
// is called on this goroutine, and again with the same event after it returned an error, so fn either counts an event
// or returns an error, never both. Events from before the first success are not seen.
func followRegistry(ctx context.Context, inv tools.Invoker, log *slog.Logger, fn func(context.Context, schemas.RegistryChange) error) {
	const shortest, longest = 100 * time.Millisecond, 10 * time.Second
	pause := shortest
	reached := registryPosition{}
	defer func() { reached.finish(context.WithoutCancel(ctx), inv, fn) }()
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

// follow goes on from the position until an error, and moves the position after each event that fn accepted. It never
// returns nil. Only the first time it asks for the number of the newest event and begins there. Later it goes on after
// its position, so an event that comes while the registry cannot be read is not lost.
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

// finishLimit is how long a follower may read the remaining events after its ctx ended.
const finishLimit = 200 * time.Millisecond

// finish goes on to the event that is the newest now: a server ends right after the last call of its client.
func (p *registryPosition) finish(ctx context.Context, inv tools.Invoker, fn func(context.Context, schemas.RegistryChange) error) {
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
