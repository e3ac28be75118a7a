package keeping

import (
	"cmp"
	"context"
	"errors"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Retain takes out of handoffs that ended before a time what takes space: long texts, long data, and content that was
// sent along to which no other handoff refers, see [retention]. Who did what and when, titles and short texts
// stay, and so do all records and events. Each handoff gets one more event, by which an audit tells what
// was let go from damage, as after [Keeping.Redact]. A person calls it with handoff compact --keep.
//
// A handoff is left whole as long as one that is open is of the same workflow, or names it: as what it came from, waits
// or waited for, judges or refers to. Messages and notices stay. One that cannot be read is passed over and counted.
//
// Each transaction takes some hundred handoffs, or fewer with much content. What was done before an error or the end of
// ctx stays done, and who repeats it goes on with the rest. The errors are denied for anybody but a person, invalid
// without a time, and those of the store. With DryRun it changes nothing and tells what it would do, without the content
// that was sent along.
func (k *Keeping) Retain(ctx context.Context, by schemas.Caller, in schemas.RetainIn) (schemas.RetainOut, error) {
	switch {
	case in.Before.IsZero():
		return schemas.RetainOut{}, schemas.Invalidf("before", "say since when everything is kept").WithHint("Nothing was changed. Give a time.")
	case !in.DryRun && by.Agent != schemas.Human:
		return schemas.RetainOut{}, schemas.Errorf(schemas.Denied, "texts are let go of by a person alone").WithField("agent").
			WithHint("Nothing was changed. A person does it at a terminal, acting as human.")
	}
	r := retention{engine: k.Engine, by: by, before: store.At(in.Before), dry: in.DryRun || !by.InPerson()}
	done, err := r.run(ctx)
	if err == nil && r.dry && !in.DryRun { // a person is asked this
		return schemas.RetainOut{}, schemas.PersonNeeded("%d bytes of texts of %d handoffs, which ended before %s, are let go of for good by a person alone",
			done.Bytes, done.Handoffs, in.Before.Format(time.DateOnly))
	}
	if k.Free != nil {
		done.Free = k.Free()
	}
	return done, operation.Coded(err)
}

// A retention lets go of what takes space in handoffs that ended long ago, and of nothing that open work needs.
//
// It goes through all records, the oldest first, a portion in each transaction. Of a handoff that ended before a time,
// and that nothing open needs (needed.go), long texts and long data are replaced, see [compose.Lessen]; then content that
// was sent along and to which nothing refers any more is deleted (sweep.go). Who did what and when, titles and short
// texts stay, and so do all records and events.
//
// It works as a redaction does, with an event for each handoff, so audits, exports and readers need to know nothing
// new; what stays is JSON of the same form. Only a look at all that is old tells how much would go: handoff where
// waits a second for that, and then says nothing. Content that was sent along has no count of who refers to it, so
// the sweep reads all contents, and the transaction that deletes looks at what came meanwhile. No server does it by
// itself: what goes is gone, so a person says when, or cron with that person's approval.
//
// It runs once. What it did before an error stays done: another one goes on with the rest.
type retention struct {
	engine *operation.Engine
	by     schemas.Caller
	before store.Time // what ended then or later is kept
	dry    bool       // it changes nothing and tells what it would do, without the content that was sent along

	needed needed
	done   schemas.RetainOut
}

// run lets go, and tells of how much.
func (r *retention) run(ctx context.Context) (schemas.RetainOut, error) {
	err := r.handoffs(ctx)
	if err == nil && !r.dry {
		err = r.sweep(ctx)
	}
	return r.done, err
}

const (
	lookedAtOnce   = 500     // records, or events of a sweep, that one transaction looks at
	lessenedAtOnce = 4 << 20 // bytes of contents after which it looks at no more
)

// handoffs goes through all records, the oldest first.
func (r *retention) handoffs(ctx context.Context) (err error) {
	if r.needed, err = operation.ReadSnapshot(ctx, r.engine, neededNow); err != nil {
		return err
	}
	for after, more := schemas.ID(0), true; more; {
		var p *portion
		err := r.portion(ctx, func(o *operation.Op, v *store.View) error {
			p = &portion{retention: r, tx: op{o}, v: v}
			return p.run(after)
		})
		if err != nil {
			return err
		}
		after, more = p.last, p.more
		r.needed.join(p.also)
		r.done.Handoffs, r.done.Contents, r.done.Bytes = r.done.Handoffs+p.handoffs, r.done.Contents+p.contents, r.done.Bytes+p.freed
		r.done.Unread += p.unread
	}
	return nil
}

// portion runs fn in one transaction, or on a snapshot and without one where nothing is to change.
func (r *retention) portion(ctx context.Context, fn func(*operation.Op, *store.View) error) error {
	if r.dry {
		return r.engine.Store.View(ctx, func(v *store.View) error { return fn(nil, v) })
	}
	return r.engine.Update(ctx, r.by, func(o *operation.Op) error { return fn(o, o.View) })
}

// A portion is what one transaction of a retention does. Without one nothing is to change.
type portion struct {
	*retention
	tx op // nothing in a run that changes nothing
	v  *store.View

	also needed     // since the last portion
	last schemas.ID // that was looked at
	more bool       // there are more
	read int        // bytes of contents

	handoffs, contents, unread int
	freed                      int64
}

func (p *portion) run(after schemas.ID) (err error) {
	if p.also, err = neededSince(p.v, p.needed.until); err != nil {
		return err
	}
	looked := 0
	for id, err := range p.v.Oldest(store.All(), after) {
		if err != nil {
			return err
		}
		if looked++; looked > lookedAtOnce || p.read > lessenedAtOnce {
			p.more = true
			return nil
		}
		p.last = id
		r, err := p.v.Record(id)
		if err != nil {
			p.unread++ // handoff check tells of it
			continue
		}
		if !p.isRipe(r) {
			continue
		}
		if err := p.lessen(r); err != nil {
			return err
		}
	}
	return nil
}

// isRipe tells whether a handoff ended before the time, and none that is open needs it.
func (p *portion) isRipe(r *store.Record) bool {
	ended := r.Status.Ended() && len(r.Owes) == 0 && r.Ended < p.before
	return ended && !p.needed.has(r) && !p.also.has(r)
}

// lessen lessens the contents of a handoff, unless one of its events cannot be read.
func (p *portion) lessen(r *store.Record) error {
	found, err := p.lesser(r)
	switch {
	case errors.Is(err, store.ErrCorrupt):
		p.unread++
		return nil
	case err != nil || len(found) == 0:
		return err
	}
	p.handoffs, p.contents = p.handoffs+1, p.contents+len(found)
	for _, l := range found {
		p.freed += int64(l.event.Bytes - len(l.content))
	}
	if p.dry {
		return nil
	}
	return p.letGo(r, found)
}

// lesser is what a content is to be.
type lesser struct {
	event   schemas.Event
	content []byte
}

func (p *portion) lesser(r *store.Record) (all []lesser, err error) {
	events, err := p.v.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if e.Action == schemas.Redacted || e.Action == string(life.Import) {
			continue // it holds digests, which audits need
		}
		content, err := p.v.RawContent(e.Handoff, e.N)
		if err != nil {
			return nil, err
		}
		p.read += len(content)
		less, err := compose.Lessen(content)
		if err != nil || less == nil || len(less) >= len(content) {
			continue // it is no JSON, or there is nothing to gain
		}
		e.Bytes = len(content)
		all = append(all, lesser{e, less})
	}
	return all, nil
}

// letGo replaces contents of a handoff, and keeps an event that says so.
func (p *portion) letGo(r *store.Record, found []lesser) (err error) {
	said := schemas.Redaction{Before: p.before.Time(), Events: map[uint64]string{}}
	for _, l := range found {
		if said.Events[l.event.N], err = p.tx.Redact(l.event, l.content); err != nil {
			return err
		}
	}
	words, err := reading.Words(p.v, r)
	if err != nil {
		words = store.ListWords(r.Title) // of a content that was erased before
	}
	if err := cmp.Or(p.tx.PutWords(r.ID, words), p.tx.DeleteTouch(r.ID)); err != nil {
		return err
	}
	return p.tx.Change(&operation.Happening{Action: life.Redact, Content: said}, r, func(*store.Record) {})
}
