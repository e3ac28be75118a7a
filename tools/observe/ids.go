package observe

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strconv"

	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
)

// names computes the ids of traces and spans from the names of what they are about, so that every process computes the
// same ids. The workspace is part of them, so two workspaces with the same names share no trace.
//
// The ids are the first bytes of a SHA-256. How they are computed never changes: spans that were sent name each other
// by them.
type names struct{ workspace string }

// trace is the id of the trace of a workflow. All spans of its handoffs are in it.
func (n names) trace(w schemas.Workflow) (id trace.TraceID) {
	copy(id[:], n.sum("workflow", string(w)))
	return id
}

// handoff is the id of the span of a handoff.
func (n names) handoff(h schemas.ID) (id trace.SpanID) {
	copy(id[:], n.sum("handoff", h.String()))
	return id
}

// stage is the span of the stage that an event ended.
func (n names) stage(h schemas.ID, event uint64) (id trace.SpanID) {
	copy(id[:], n.sum("stage", h.String(), strconv.FormatUint(event, 10)))
	return id
}

func (n names) sum(parts ...string) []byte {
	sum := sha256.New()
	for _, part := range append([]string{n.workspace}, parts...) {
		sum.Write(append([]byte(part), 0)) // no name contains a zero byte
	}
	return sum.Sum(nil)
}

// span are the ids of a span.
type span struct {
	trace trace.TraceID
	id    trace.SpanID
}

type spanKey struct{}

// withID gives the next span that is begun in ctx these ids.
func withID(ctx context.Context, s span) context.Context { return context.WithValue(ctx, spanKey{}, s) }

// generator gives a span the ids in its context, and random ones when there are none.
//
// The SDK calls it once for each span that has no valid parent, and NewSpanID for each other.
type generator struct{}

// NewIDs implements the generator of the SDK. Random ids are zero, which is no id, once in 2^64 times at most.
func (generator) NewIDs(ctx context.Context) (t trace.TraceID, s trace.SpanID) {
	if given, ok := ctx.Value(spanKey{}).(span); ok {
		return given.trace, given.id
	}
	_, _ = rand.Read(t[:]) // never fails
	_, _ = rand.Read(s[:])
	return t, s
}

func (g generator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, s := g.NewIDs(ctx)
	return s
}
