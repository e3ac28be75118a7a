package observe

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
	"handoff/tools"
)

// Follow sends a span for each stage of a handoff that ends from now on, and one for the handoff when it ends,
// until ctx is done. They begin when the registry says, however long ago: a restart loses only the spans of
// what ended meanwhile, and the span of a handoff is whole.
func (t *Traces) Follow(ctx context.Context, inv tools.Invoker) {
	if t == nil {
		return
	}
	follow(ctx, inv, t.log, func(c schemas.Change) error { return t.happened(ctx, inv, c) })
}

// stageOf names the stage in which a handoff is, "" before the first and after the last.
func stageOf(s schemas.Status) string {
	switch s {
	case schemas.Pending:
		return "queued"
	case schemas.Accepted, schemas.Working:
		return "working"
	case schemas.Waiting:
		return "waiting"
	case schemas.Completed, schemas.Rejected, schemas.Failed, schemas.TimedOut, schemas.Returned, schemas.Cancelled:
	}
	return ""
}

// happened sends the spans that an event ended. An error means that it is to be called again.
func (t *Traces) happened(ctx context.Context, inv tools.Invoker, c schemas.Change) error {
	if c.Handoff == 0 {
		return nil
	}
	t.workflows.note(c.Handoff, c.Workflow)
	stage := stageOf(c.From)
	if stage == "" || stage == stageOf(c.To) || !t.sampled(c.Workflow) {
		return nil
	}
	life, err := t.life(ctx, inv, c)
	if err == nil && c.To.Ended() {
		life.parent, err = t.parent(ctx, inv, life)
	}
	if err != nil {
		return t.passOver(ctx, c, err)
	}
	t.stage(life, stage)
	if c.To.Ended() {
		t.handoff(life)
	}
	return nil
}

// passOver leaves out what cannot be read, so that the rest can go on; what cannot be read just now is waited
// for.
func (t *Traces) passOver(ctx context.Context, c schemas.Change, err error) error {
	if ctx.Err() != nil || schemas.AsError(err).Code == schemas.Unavailable {
		return err
	}
	t.log.WarnContext(ctx, "a handoff has no span", slog.String("handoff", c.Handoff.String()), slog.Any("cause", err))
	return nil
}

// stage sends the span of a stage that the last event ended.
func (t *Traces) stage(l life, stage string) {
	begun, known := l.entered(stage)
	if !known {
		begun = l.events[0]
	}
	agent, end := begun.Agent, l.last()
	if stage == "queued" {
		agent = ""
		if stageOf(end.To) == "working" {
			agent = end.Agent // who claimed it
		}
	}
	attrs := append(l.attributes(agent), keyAction.String(end.Action))
	ctx := trace.ContextWithSpanContext(context.Background(), t.at(l.workflow, l.handoff))
	ctx = given(ctx, span{t.names.trace(l.workflow), t.names.stage(l.handoff, end.N)})
	_, s := t.tracer.Start(ctx, stage, trace.WithTimestamp(when(begun)), trace.WithAttributes(attrs...))
	conclude(s, end)
}

// handoff sends the span of a handoff that the last event ended: under that of the handoff it continues, and
// linked to the spans of those who acted on it.
func (t *Traces) handoff(l life) {
	begun, end := l.events[0], l.last()
	claimed, _ := l.entered("working")
	attrs := append(l.attributes(claimed.Agent), keySender.String(string(begun.Agent)), keyAction.String(end.Action))
	links := l.links()
	ctx := given(context.Background(), span{t.names.trace(l.workflow), t.names.handoff(l.handoff)})
	switch {
	case l.parent.TraceID() == t.names.trace(l.workflow):
		ctx = trace.ContextWithSpanContext(ctx, l.parent)
	case l.parent.IsValid(): // it continues a handoff of another workflow, which has a trace of its own
		links = append(links, trace.Link{SpanContext: l.parent})
	}
	_, s := t.tracer.Start(ctx, "handoff", trace.WithTimestamp(when(begun)), trace.WithAttributes(attrs...), trace.WithLinks(links...))
	conclude(s, end)
}

// conclude ends a span with the event that did.
func conclude(s trace.Span, end schemas.Event) {
	if end.To.Ended() {
		s.SetAttributes(keyOutcome.String(string(end.To)))
	}
	if end.To == schemas.Failed || end.To == schemas.TimedOut {
		s.SetStatus(codes.Error, string(end.To))
	}
	s.End(trace.WithTimestamp(when(end)))
}

// when an event took effect: what the clock did was due before anybody looked.
func when(e schemas.Event) time.Time {
	if !e.Due.IsZero() {
		return e.Due
	}
	return e.At
}

// life is a handoff up to an event.
type life struct {
	handoff  schemas.ID
	workflow schemas.Workflow
	events   []schemas.Event   // at least one, in order
	parent   trace.SpanContext // of the handoff that it continues; invalid for none
}

func (l life) last() schemas.Event { return l.events[len(l.events)-1] }

// entered is the last event with which a stage began.
func (l life) entered(stage string) (e schemas.Event, known bool) {
	for _, e := range slices.Backward(l.events) {
		if stageOf(e.To) == stage && stageOf(e.From) != stage {
			return e, true
		}
	}
	return e, false
}

func (l life) attributes(agent schemas.Agent) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		keyHandoff.String(l.handoff.String()), keyWorkflow.String(string(l.workflow)), keyAttempt.Int(l.last().Attempt),
	}
	if agent != "" {
		attrs = append(attrs, keyAgent.String(string(agent)))
	}
	return attrs
}

// links are the spans in which somebody acted on it, each once.
func (l life) links() (links []trace.Link) {
	var known []string
	for _, e := range l.events {
		if slices.Contains(known, e.Trace) {
			continue
		}
		known = append(known, e.Trace)
		if caller := callers(e.Trace); caller.IsValid() {
			links = append(links, trace.Link{SpanContext: caller, Attributes: []attribute.KeyValue{keyAction.String(e.Action)}})
		}
	}
	return links
}
