package mailbox

import (
	"cmp"
	"context"
	"errors"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Retain takes out of handoffs that ended before a time what takes space, see [compose.Lessen]: their long texts, their
// long data, and content that was sent along, where no other handoff refers to it. Who did what and when, titles and
// short texts stay, and so do all records and events. Each handoff gets one more event, by which an audit tells what
// was let go from damage, as after [Service.Redact]. A person calls it with handoff compact --keep.
//
// A handoff is left whole as long as one that is open is of the same workflow, or names it: as what it came from, waits
// or waited for, judges or refers to. Messages and notices stay. One that cannot be read is passed over and counted.
//
// Each transaction takes some hundred handoffs, or fewer with much content. What was done before an error or the end of
// ctx stays done, and who repeats it goes on with the rest. The errors are denied for anybody but a person, invalid
// without a time, and those of the store. With DryRun it changes nothing and tells what it would do, without the content
// that was sent along.
func (s *Service) Retain(ctx context.Context, by schemas.Caller, in schemas.RetainIn) (schemas.RetainOut, error) {
	switch {
	case in.Before.IsZero():
		return schemas.RetainOut{}, schemas.Invalidf("before", "say since when everything is kept").WithHint("Nothing was changed. Give a time.")
	case !in.DryRun && by.Agent != schemas.Human:
		return schemas.RetainOut{}, schemas.Errorf(schemas.Denied, "texts are let go of by a person alone").WithField("agent").
			WithHint("Nothing was changed. A person does it at a terminal, acting as human.")
	}
	r := retention{Service: s, by: by, before: store.At(in.Before), dry: in.DryRun || !by.InPerson()}
	err := r.handoffs(ctx)
	switch {
	case err == nil && !r.dry:
		err = r.sweep(ctx)
	case err == nil && !in.DryRun: // a person is asked this
		return schemas.RetainOut{}, schemas.PersonNeeded("%d bytes of texts of %d handoffs, which ended before %s, are let go of for good by a person alone",
			r.done.Bytes, r.done.Handoffs, in.Before.Format(time.DateOnly))
	}
	if s.Free != nil {
		r.done.Free = s.Free()
	}
	return r.done, coded(err)
}

const (
	retainedAtOnce = 500     // records that one transaction of a retention looks at
	lessenedAtOnce = 4 << 20 // bytes of contents after which it looks at no more
)

// retention is one call of [Service.Retain].
type retention struct {
	*Service
	by     schemas.Caller
	before store.Time
	dry    bool
	needed needed
	done   schemas.RetainOut
}

// handoffs goes through all records, the oldest first.
func (r *retention) handoffs(ctx context.Context) (err error) {
	if r.needed, err = look(ctx, r.Service, neededNow); err != nil {
		return err
	}
	tell := store.ProgressOf(ctx)
	for after, more := schemas.ID(0), true; more; {
		var p *portion
		err := r.portion(ctx, func(o *op, v *store.View) error {
			p = &portion{retention: r, o: o, v: v}
			return p.run(after)
		})
		if err != nil {
			return err
		}
		after, more = p.last, p.more
		r.needed.join(p.also)
		r.done.Handoffs, r.done.Contents, r.done.Bytes = r.done.Handoffs+p.handoffs, r.done.Contents+p.contents, r.done.Bytes+p.freed
		r.done.Unread += p.unread
		tell("handoffs", uint64(after), 0)
	}
	return nil
}

// portion runs fn in one transaction, or on a snapshot and without an operation where nothing is to change.
func (r *retention) portion(ctx context.Context, fn func(*op, *store.View) error) error {
	if r.dry {
		return r.Store.View(ctx, func(v *store.View) error { return fn(nil, v) })
	}
	return r.update(ctx, r.by, func(o *op) error { return fn(o, o.View) })
}

// A portion is what one transaction of a retention does. It has no operation where nothing is to change.
type portion struct {
	*retention
	o *op
	v *store.View

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
		if looked++; looked > retainedAtOnce || p.read > lessenedAtOnce {
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
	return p.o.letGo(r, found, p.before)
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
		content, err := p.v.Said(e.Handoff, e.N)
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
func (o *op) letGo(r *store.Record, found []lesser, before store.Time) error {
	now, err := o.step(life.Redact, r)
	if err != nil {
		return err
	}
	said := schemas.Redaction{Before: before.Time(), Events: map[uint64]string{}}
	for _, l := range found {
		if said.Events[l.event.N], err = o.tx.Redact(l.event, l.content); err != nil {
			return err
		}
	}
	words, err := reading.Words(o.View, r)
	if err != nil {
		words = store.ListWords(r.Title) // of a content that was erased before
	}
	if err := cmp.Or(o.tx.PutWords(r.ID, words), o.tx.DeleteTouch(r.ID)); err != nil {
		return err
	}
	return o.commit(happening{action: life.Redact, was: r, now: &now, said: said})
}
