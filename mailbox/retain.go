package mailbox

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Retain takes out of handoffs that ended before a time what takes space, see [compose.Lessen]: their long texts, their
// data, and content that was sent along, where no other handoff refers to it. Who did what and when, titles and
// short texts stay, and so do all records and events; an audit tells what was let go from damage, as after [Service.Redact]. A
// person calls it with handoff compact --keep.
//
// A handoff is left whole as long as one that is open refers to it, is of the same workflow, or waits or waited for it.
// Messages and notices stay.
//
// Each transaction takes some hundred handoffs, so nobody is kept from working, and what was done before an error or the
// end of ctx stays done. Who repeats it goes on with the rest. The errors are denied for anybody but a
// person, invalid without a time, and those of the store. With DryRun it changes nothing and tells what it would do, without
// the content that was sent along.
func (s *Service) Retain(ctx context.Context, by schemas.Caller, in schemas.RetainIn) (schemas.RetainOut, error) {
	switch {
	case in.Before.IsZero():
		return schemas.RetainOut{}, schemas.Invalidf("before", "say since when everything is kept")
	case !in.DryRun && !by.InPerson():
		return schemas.RetainOut{}, schemas.PersonNeeded("texts are let go by a person alone")
	}
	r := retention{Service: s, by: by, before: store.At(in.Before), dry: in.DryRun, unused: map[string]bool{}}
	err := r.handoffs(ctx)
	if err == nil && !r.dry {
		err = r.contents(ctx)
	}
	if s.Free != nil {
		r.done.Free = s.Free()
	}
	return r.done, s.coded(err)
}

const (
	retainAtOnce = 500   // records that one transaction of a retention looks at, and contents that it deletes
	lookedAnew   = 5_000 // events of meanwhile that it looks at
)

// retention is one call of [Service.Retain].
type retention struct {
	*Service
	by     schemas.Caller
	before store.Time
	dry    bool
	needed stillNeeded
	unused map[string]bool // digests of contents to which handoffs referred that do not any more
	done   schemas.RetainOut
}

// handoffs goes through all records, the oldest first.
func (r *retention) handoffs(ctx context.Context) error {
	tell := store.ProgressOf(ctx)
	for after, more := schemas.ID(0), true; more; {
		var p portion
		err := r.portion(ctx, func(o *op, v *store.View) error {
			p = portion{retention: r, o: o, v: v, told: map[uint64]string{}}
			return p.run(after)
		})
		if err != nil {
			return err
		}
		after, more, r.needed.event = p.last, p.more, p.event
		r.done.Handoffs, r.done.Contents, r.done.Bytes = r.done.Handoffs+p.handoffs, r.done.Contents+len(p.told), r.done.Bytes+p.bytes
		for _, digest := range p.unused {
			r.unused[digest] = true
		}
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

// stillNeeded are the workflows of open handoffs and the handoffs that these name, up to an event. What was open once stays
// here: it may have ended since, and the next retention is soon enough for it.
type stillNeeded struct {
	event     uint64
	workflows map[schemas.Workflow]bool
	ids       map[schemas.ID]bool
}

// update adds what is open by now, and gives the newest event.
func (n *stillNeeded) update(v *store.View) (uint64, error) {
	newest, err := v.Events()
	if err != nil {
		return 0, err
	}
	if n.ids == nil {
		n.workflows, n.ids = map[schemas.Workflow]bool{}, map[schemas.ID]bool{}
		for _, status := range schemas.Open.States() {
			for id, err := range v.Oldest(store.InState(status), 0) {
				if err := cmp.Or(err, n.add(v, id)); err != nil {
					return 0, err
				}
			}
		}
		return newest, nil
	}
	for e, err := range v.EventsAfter(n.event) {
		if err == nil && e.Handoff != 0 {
			err = n.add(v, e.Handoff)
		}
		if err != nil {
			return 0, err
		}
	}
	return newest, nil
}

// add adds a handoff if it is open. The error is that of a record that cannot be read: what it needs is not known.
func (n *stillNeeded) add(v *store.View, id schemas.ID) error {
	r, err := v.Record(id)
	if err != nil || r == nil || r.Status.Ended() {
		return err
	}
	n.workflows[r.Workflow] = true
	named := []schemas.ID{r.Parent, r.RetryOf, r.ReworkOf, r.Review, r.Reviews, r.Rollback, r.Forwarded, r.Successor}
	for _, id := range slices.Concat(named, r.After, r.Freed) {
		n.ids[id] = true
	}
	return nil
}

// A portion is what one transaction of a retention looks at. It has no operation where nothing is to change.
type portion struct {
	*retention
	o *op
	v *store.View

	last  schemas.ID // that was looked at
	more  bool       // there are more
	event uint64     // the newest

	handoffs int
	bytes    int64
	told     map[uint64]string // digests of contents that were lessened, by event
	unused   []string          // digests of contents to which these referred
}

func (p *portion) run(after schemas.ID) (err error) {
	if p.event, err = p.needed.update(p.v); err != nil {
		return err
	}
	looked := 0
	for id, err := range p.v.Oldest(store.All(), after) {
		if looked++; err != nil || looked > retainAtOnce {
			p.more = err == nil
			return cmp.Or(err, p.tell())
		}
		p.last = id
		r, err := p.v.Record(id)
		if err != nil || !p.isRipe(r) {
			continue // handoff check tells of one that cannot be read
		}
		if err := p.lessen(r); err != nil {
			return err
		}
	}
	return p.tell()
}

// isRipe tells whether a handoff ended before the time, and none that is open needs it.
func (p *portion) isRipe(r *store.Record) bool {
	ended := r.Status.Ended() && len(r.Owes) == 0 && r.Ended < p.before
	return ended && !p.needed.ids[r.ID] && !p.needed.workflows[r.Workflow]
}

// lessen lessens all contents of a handoff.
func (p *portion) lessen(r *store.Record) error {
	events, err := p.v.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
	if err != nil {
		return err
	}
	before := len(p.told)
	for _, e := range events {
		if e.Action == schemas.Redacted || e.Action == string(life.Import) {
			continue // it holds digests, which audits need
		}
		if err := p.lessenSaid(e); err != nil {
			return err
		}
	}
	if len(p.told) == before {
		return nil
	}
	p.handoffs++
	if p.dry {
		return nil
	}
	words, err := Words(p.v, r)
	return cmp.Or(err, p.o.tx.PutWords(r.ID, words), p.o.tx.DeleteTouch(r.ID))
}

func (p *portion) lessenSaid(e schemas.Event) error {
	content, err := p.v.Said(e.Handoff, e.N)
	if err != nil {
		return err
	}
	less, err := compose.Lessen(content)
	if err != nil || less == nil || len(less) >= len(content) {
		return nil //nolint:nilerr // it is no JSON, or there is nothing to gain
	}
	p.bytes += int64(len(content) - len(less))
	p.unused = append(p.unused, keptDigests(content)...)
	p.told[e.N] = ""
	if !p.dry {
		p.told[e.N], err = p.o.tx.Redact(e, less)
	}
	return err
}

// tell keeps one event that tells what was lessened.
func (p *portion) tell() error {
	if p.dry || len(p.told) == 0 {
		return nil
	}
	return p.o.record(life.Redact, schemas.Redaction{Before: p.before.Time(), Events: p.told})
}

// contents deletes content that was sent along and to which nothing refers any more. The whole registry is read for
// that, first in portions, and what came meanwhile in the transactions that delete.
func (r *retention) contents(ctx context.Context) error {
	if len(r.unused) == 0 {
		return nil
	}
	looked := uint64(0)
	for more := true; more; {
		err := r.Store.View(ctx, func(v *store.View) (err error) {
			looked, more, err = r.use(v, looked, retainAtOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
	for len(r.unused) > 0 {
		var forgotten []string
		var bytes int64
		err := r.update(ctx, r.by, func(o *op) (err error) {
			forgotten, bytes, err = r.forgetContents(o, looked)
			return err
		})
		if err != nil || len(forgotten) == 0 {
			return err
		}
		r.done.Bytes += bytes
		for _, digest := range forgotten {
			delete(r.unused, digest)
		}
	}
	return nil
}

// forgetContents deletes the next contents that are not used, unless more events came since the registry was read than
// one transaction looks at: then the next retention is soon enough.
func (r *retention) forgetContents(o *op, looked uint64) (forgotten []string, bytes int64, err error) {
	if _, more, err := r.use(o.View, looked, lookedAnew); err != nil || more {
		return nil, 0, err
	}
	for digest := range r.unused {
		if len(forgotten) == retainAtOnce {
			break
		}
		content, err := o.Kept(digest)
		if err := cmp.Or(err, o.tx.Forget(digest)); err != nil {
			return nil, 0, err
		}
		forgotten, bytes = append(forgotten, digest), bytes+int64(len(content))
	}
	return forgotten, bytes, nil
}

// use looks through the contents of the next events, and takes from unused what they name.
func (r *retention) use(v *store.View, after uint64, most int) (last uint64, more bool, err error) {
	last = after
	for e, err := range v.EventsAfter(after) {
		if err != nil || e.N-after > uint64(most) { //nolint:gosec // it is a constant
			return last, err == nil, err
		}
		last = e.N
		content, err := v.Said(e.Handoff, e.N)
		if err != nil {
			return last, false, err
		}
		for _, digest := range keptDigests(content) {
			delete(r.unused, digest)
		}
	}
	return last, false, nil
}

// sentWhole reads what was sent, for whoever does the work again. The error is conflict where texts of it were let go.
func (o *op) sentWhole(r *store.Record, h *schemas.Handoff) error {
	if err := o.Saying(r.ID, r.Body, h); err != nil {
		return err
	}
	whole, err := o.Salted(r.Body)
	if err != nil || whole {
		return err
	}
	said, err := o.Said(r.ID, r.Body)
	if err == nil && bytes.Contains(said, []byte(compose.NotKept)) {
		err = schemas.Errorf(schemas.Conflict, "what was sent with %s is no longer kept in full, so it cannot be done again", r.ID).
			WithHint("It ended too long ago for this workspace. Send a new handoff, and say all that is needed.")
	}
	return err
}

// keptDigests are the digests of kept content that stand in a content.
func keptDigests(content []byte) (digests []string) {
	const kind, size = "sha256:", len("sha256:") + 64
	for {
		i := bytes.Index(content, []byte(kind))
		if i < 0 || len(content) < i+size {
			return digests
		}
		digests = append(digests, string(content[i:i+size]))
		content = content[i+len(kind):]
	}
}
