package observe

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"strconv"

	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
)

// names computes ids of traces and spans from what they are about, so that every process of every restart
// derives the same. The workspace is part of them: two workspaces that use the same names share no trace.
type names struct{ workspace string }

func (n names) trace(w schemas.Workflow) (id trace.TraceID) {
	copy(id[:], n.sum("workflow", string(w)))
	return id
}

func (n names) handoff(h schemas.ID) (id trace.SpanID) {
	copy(id[:], n.sum("handoff", h.String()))
	return id
}

// stage is the stage of a handoff that an event ended.
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

// span is the place of a span in its trace.
type span struct {
	trace trace.TraceID
	id    trace.SpanID
}

type spanKey struct{}

// given makes the next span that is begun in ctx have an id.
func given(ctx context.Context, s span) context.Context { return context.WithValue(ctx, spanKey{}, s) }

// generator gives a span the ids that its context carries, and random ones to all others.
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

// fill makes ids that are unlikely to meet; nobody has to be unable to guess them.
func fill(id []byte) {
	for i := range id {
		id[i] = byte(rand.Uint32()) //nolint:gosec // see above
	}
}
