package telemetry

import (
	"context"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
	"handoff/tools"
)

// handoffTimeline holds the events of a handoff up to one event. It is read anew for each span, so that no events are
// kept in memory.
type handoffTimeline struct {
	handoff  schemas.ID
	workflow schemas.Workflow
	events   []schemas.Event   // at least one, in order
	parent   trace.SpanContext // of the handoff that it continues; invalid for none
}

func (l handoffTimeline) lastEvent() schemas.Event { return l.events[len(l.events)-1] }

// stageBegin returns the last event that began a stage. Known is false if this event was not read, because the handoff
// has too many events.
func (l handoffTimeline) stageBegin(stage string) (e schemas.Event, known bool) {
	for _, e := range slices.Backward(l.events) {
		if stages[e.To] == stage && stages[e.From] != stage {
			return e, true
		}
	}
	return e, false
}

func (l handoffTimeline) attributes(agent schemas.Agent) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		keyHandoff.String(l.handoff.String()), keyWorkflow.String(string(l.workflow)), keyAttempt.Int(l.lastEvent().Attempt),
	}
	if agent != "" {
		attrs = append(attrs, keyAgent.String(string(agent)))
	}
	return attrs
}

// links returns links to the spans of the calls that acted on the handoff. If a call caused several events, there is
// still only one link to its span.
func (l handoffTimeline) links() (links []trace.Link) {
	var known []string
	for _, e := range l.events {
		if slices.Contains(known, e.Trace) {
			continue
		}
		known = append(known, e.Trace)
		if caller := remoteSpan(e.Trace); caller.IsValid() {
			attrs := []attribute.KeyValue{keyAction.String(e.Action)}
			links = append(links, trace.Link{SpanContext: caller, Attributes: attrs})
		}
	}
	return links
}

// remoteSpan returns the span that a W3C traceparent names. The result is invalid if traceparent is invalid.
func remoteSpan(traceparent string) trace.SpanContext {
	carried := propagation.MapCarrier{"traceparent": traceparent}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carried))
}

// maxPages is the largest number of pages that are read of the events of one handoff. They hold its last thousand
// events.
const maxPages = 50

// readTimeline reads the events of a handoff up to a change. It leaves out later events, so that a span that is sent
// again is the same. The error comes from get_handoff, or says that the change is not among the events.
func (t *Traces) readTimeline(ctx context.Context, inv tools.Invoker, c schemas.RegistryChange) (handoffTimeline, error) {
	l := handoffTimeline{handoff: c.Handoff, workflow: c.Workflow}
	in := schemas.GetIn{HandoffID: c.Handoff.String(), View: "audit"}
	for range maxPages {
		page, err := tools.InvokeTyped[schemas.GetOut](ctx, inv, tools.Call{Tool: "get_handoff"}, in)
		if err != nil {
			return l, err
		}
		l.events = append(page.Audit, l.events...)
		if in.Offset = page.NextOffset; in.Offset == 0 {
			break
		}
	}
	l.events = slices.DeleteFunc(l.events, func(e schemas.Event) bool { return e.N > c.N })
	if len(l.events) == 0 {
		return l, fmt.Errorf("event %d of %s is not among its events", c.N, c.Handoff)
	}
	return l, nil
}

// findParentSpan returns the span of the handoff that this handoff continues. It may belong to another workflow.
func (t *Traces) findParentSpan(ctx context.Context, inv tools.Invoker, l handoffTimeline) (none trace.SpanContext, err error) {
	first := l.events[0]
	if first.From != "" || first.Other == 0 {
		return none, nil
	}
	in := schemas.HistoryIn{HandoffID: first.Other.String(), Format: "rows", Limit: 1}
	chain, err := tools.InvokeTyped[schemas.HistoryOut](ctx, inv, tools.Call{Tool: "handoff_history"}, in)
	if err != nil {
		return none, err
	}
	return t.spanContext(chain.Workflow, first.Other), nil
}
