package observe

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"strconv"

	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
)

// names computes the ids of traces and spans from the names of what they are about, so that every process computes the
// same ids. The workspace is part of them, so two workspaces with the same names share no trace.
type names struct{ workspace string }

func (n names) trace(w schemas.Workflow) (id trace.TraceID) {
	copy(id[:], n.sum("workflow", string(w)))
	return id
}

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
type generator struct{}

func (generator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if s, ok := ctx.Value(spanKey{}).(span); ok {
		return s.trace, s.id
	}
	var id trace.TraceID
	for !id.IsValid() {
		fill(id[:])
	}
	return id, randomSpan()
}

func (generator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if s, ok := ctx.Value(spanKey{}).(span); ok {
		return s.id
	}
	return randomSpan()
}

func randomSpan() (id trace.SpanID) {
	for !id.IsValid() {
		fill(id[:])
	}
	return id
}

// fill makes ids that are unlikely to be equal. They need not be hard to guess.
func fill(id []byte) {
	for i := range id {
		id[i] = byte(rand.Uint32()) //nolint:gosec // see above
	}
}
