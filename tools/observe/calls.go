package observe

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
	"handoff/tools"
)

// Invoker returns an invoker that passes calls to next and sends a span for each call of an agent. The span is a child
// of the caller's span where that is known, and linked to the span of the handoff that the result is about.
//
// Administrative tools and tools that do not exist have no span: hooks and servers call them all the time. Results and
// errors are passed on as they are. With a nil *Traces it returns next itself.
func (t *Traces) Invoker(next tools.Invoker) tools.Invoker {
	if t == nil {
		return next
	}
	return tracing{next, t}
}

type tracing struct {
	tools.Invoker
	traces *Traces
}

func (i tracing) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	tool, unknown := tools.Find(c.Tool)
	if unknown != nil || tool.Admin {
		return i.Invoker.Invoke(ctx, c)
	}
	s := i.traces.begin(c)
	result, err := i.Invoker.Invoke(ctx, c)
	i.traces.finish(s, result, err)
	return result, err
}

// begin begins the span of a call, at the time of Config.Now. Its parent is the caller's span only when the caller sent
// a valid traceparent.
func (t *Traces) begin(c tools.Call) trace.Span {
	ctx := trace.ContextWithRemoteSpanContext(context.Background(), remoteSpan(c.Caller.Trace))
	_, s := t.tracer.Start(ctx, c.Tool, trace.WithTimestamp(t.now()), trace.WithSpanKind(trace.SpanKindServer))
	if c.Caller.Agent != "" {
		s.SetAttributes(keyAgent.String(string(c.Caller.Agent)))
	}
	if c.Caller.Via != "" {
		s.SetAttributes(keyVia.String(string(c.Caller.Via)))
	}
	return s
}

// finish ends the span of a call. An error is named by its code alone: its text may hold what agents wrote.
func (t *Traces) finish(s trace.Span, result json.RawMessage, err error) {
	if err != nil {
		code := string(schemas.AsError(err).Code)
		s.SetAttributes(keyError.String(code))
		s.SetStatus(codes.Error, code)
	} else if s.IsRecording() {
		t.link(s, result)
	}
	s.End(trace.WithTimestamp(t.now()))
}

// link links the span of a call to that of the handoff in its result. Only some results name the workflow, so the
// workflows of handoffs are remembered.
func (t *Traces) link(s trace.Span, result json.RawMessage) {
	var about struct {
		Handoff  schemas.ID       `json:"handoff_id"`
		Workflow schemas.Workflow `json:"workflow"`
	}
	if err := schemas.Decode(result, &about); err != nil || about.Handoff == 0 {
		return
	}
	s.SetAttributes(keyHandoff.String(about.Handoff.String()))
	if about.Workflow == "" {
		about.Workflow, _ = t.workflows.of(about.Handoff)
	}
	if about.Workflow == "" {
		return
	}
	t.workflows.remember(about.Handoff, about.Workflow)
	s.SetAttributes(keyWorkflow.String(string(about.Workflow)))
	s.AddLink(trace.Link{SpanContext: t.spanContext(about.Workflow, about.Handoff)})
}

// remoteSpan is the span that a W3C traceparent names; invalid when it names none.
//
// Anything else, also an empty text, is no error: the span of the call then begins a trace.
func remoteSpan(traceparent string) trace.SpanContext {
	carried := propagation.MapCarrier{"traceparent": traceparent}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carried))
}
