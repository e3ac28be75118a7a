package relay

import (
	"context"
	"encoding/json"
	"iter"

	"handoff/schemas"
	"handoff/tools"
)

// A seat is where calls go for now: the store in this process, or its owner in another.
type seat struct {
	way  way
	over context.Context         // done when the seat is lost; the cause says why
	lose context.CancelCauseFunc // what is under way on it ends
}

// way is what differs between the two. Both end with errMoved what their end cut off.
type way interface {
	tools.Invoker

	// hold opens a connection and keeps it open, until drop or the end of the seat.
	hold(ctx context.Context, c tools.Call) (json.RawMessage, error)
	drop(conn string)
}

func newSeat() *seat {
	s := &seat{}
	s.over, s.lose = context.WithCancelCause(context.Background())
	return s
}

func (s *seat) lost() bool { return s.over.Err() != nil }

func (s *seat) invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	ctx, done := s.within(ctx)
	defer done()
	if c.Tool == openTool {
		return s.way.hold(ctx, c)
	}
	return s.way.Invoke(ctx, c)
}

func (s *seat) changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		ctx, done := s.within(ctx)
		defer done()
		s.way.Changes(ctx, after)(yield)
	}
}

// within gives ctx, which ends with the seat as well.
func (s *seat) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.over, func() { cancel(context.Cause(s.over)) })
	return ctx, func() { stop(); cancel(nil) }
}

// here is the store in this process.
type here struct{ *owner }

func (h here) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	out, err := h.store.Invoke(ctx, c)
	if err == nil && !h.ours() {
		h.robbed()
		return nil, errMoved
	}
	return out, h.moved(err)
}

// hold has nothing to keep open: this process ends together with the store.
func (h here) hold(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	return h.Invoke(ctx, c)
}

func (here) drop(string) {}

func (h here) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		for c, err := range h.store.Changes(ctx, after) {
			if !yield(c, h.moved(err)) {
				return
			}
		}
	}
}

// moved tells what the end of the owner cut off from what was refused. Only the former is repeated.
func (h here) moved(err error) error {
	if err == nil || !h.seat.lost() || schemas.AsError(err).Code != schemas.Unavailable {
		return err
	}
	return errMoved
}
