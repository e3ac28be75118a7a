package telemetry

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
	"handoff/tools"
)

// Follow sends, from now on, a span when a stage of a handoff ends, and a span when a handoff ends. It blocks until ctx
// is done. A span begins at the time in the registry, so it is complete even after a restart. Spans that end while no
// process follows are lost.
//
// Several processes may follow the same workspace. For each stage that ends, Follow calls get_handoff once for each
// twenty events of the handoff.
func (t *Traces) Follow(ctx context.Context, inv tools.Invoker) {
	followRegistry(ctx, inv, t.log, func(ctx context.Context, c schemas.RegistryChange) error { return t.traceChange(ctx, inv, c) })
}

// stages has the name of the stage of a handoff, by its state. A handoff that has ended is in none.
var stages = map[schemas.Status]string{
	schemas.Pending: "queued", schemas.Accepted: "working", schemas.Working: "working", schemas.Waiting: "waiting",
}

// traceChange sends the spans of the stages that an event ended. It sends nothing if the event ended no stage, or if
// the trace is not sampled. After an error the caller repeats it with the same event. A span that is sent twice has the
// same ids, so a collector keeps it once.
func (t *Traces) traceChange(ctx context.Context, inv tools.Invoker, c schemas.RegistryChange) error {
	if c.Handoff == 0 {
		return nil
	}
	stage := stages[c.From]
	if stage == "" || stage == stages[c.To] || !t.isSampled(c.Workflow) {
		return nil
	}
	line, err := t.readTimeline(ctx, inv, c)
	if err == nil && c.To.HasEnded() {
		line.parent, err = t.findParentSpan(ctx, inv, line)
	}
	if err != nil {
		return t.skipOrRetry(ctx, c, err)
	}
	t.sendStageSpan(line, stage)
	if c.To.HasEnded() {
		t.sendHandoffSpan(line)
	}
	return nil
}

// skipOrRetry returns the error if a retry may succeed. It logs any other error and returns nil, and then the event has
// no span.
func (t *Traces) skipOrRetry(ctx context.Context, c schemas.RegistryChange, err error) error {
	if ctx.Err() != nil || schemas.AsError(err).Code == schemas.Unavailable {
		return err
	}
	t.log.WarnContext(ctx, "a handoff has no span", slog.String("handoff", c.Handoff.String()), slog.Any("cause", err))
	return nil
}

// sendStageSpan sends the span of a stage that the last event ended.
func (t *Traces) sendStageSpan(l handoffTimeline, stage string) {
	begun, known := l.stageBegin(stage)
	if !known {
		begun = l.events[0]
	}
	agent, end := begun.Agent, l.lastEvent()
	if stage == "queued" {
		agent = ""
		if stages[end.To] == "working" {
			agent = end.Agent // the agent that claimed it
		}
	}
	attrs := append(l.attributes(agent), keyAction.String(end.Action))
	ctx := trace.ContextWithSpanContext(context.Background(), t.spanContext(l.workflow, l.handoff))
	ctx = withSpanID(ctx, spanID{t.names.traceID(l.workflow), t.names.stageSpanID(l.handoff, end.N)})
	_, s := t.tracer.Start(ctx, stage, trace.WithTimestamp(effectTime(begun)), trace.WithAttributes(attrs...))
	endSpan(s, end)
}

// sendHandoffSpan sends the span of a handoff that the last event ended. The parent of the span is the span of the
// handoff that it continues. The span has links to the spans of the calls that acted on the handoff.
func (t *Traces) sendHandoffSpan(l handoffTimeline) {
	begun, end := l.events[0], l.lastEvent()
	claimed, _ := l.stageBegin("working")
	attrs := append(l.attributes(claimed.Agent), keySender.String(string(begun.Agent)), keyAction.String(end.Action))
	links := l.links()
	ctx := withSpanID(context.Background(), spanID{t.names.traceID(l.workflow), t.names.handoffSpanID(l.handoff)})
	switch {
	case l.parent.TraceID() == t.names.traceID(l.workflow):
		ctx = trace.ContextWithSpanContext(ctx, l.parent)
	case l.parent.IsValid(): // it continues a handoff of another workflow, which has a trace of its own
		links = append(links, trace.Link{SpanContext: l.parent})
	}
	_, s := t.tracer.Start(ctx, "handoff",
		trace.WithTimestamp(effectTime(begun)), trace.WithAttributes(attrs...), trace.WithLinks(links...))
	endSpan(s, end)
}

// endSpan ends a span at the time at which its last event took effect. Only the states failed and timed out are errors
// of the span, because rejected, returned and cancelled are normal outcomes.
func endSpan(s trace.Span, end schemas.Event) {
	if end.To.HasEnded() {
		s.SetAttributes(keyOutcome.String(string(end.To)))
	}
	if end.To == schemas.Failed || end.To == schemas.TimedOut {
		s.SetStatus(codes.Error, string(end.To))
	}
	s.End(trace.WithTimestamp(effectTime(end)))
}

// effectTime returns the time at which an event took effect. For a change by the clock this is its due time, which is
// before the time of the event.
func effectTime(e schemas.Event) time.Time { return cmp.Or(e.Due, e.At) }
