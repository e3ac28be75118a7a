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

// Retain drops large content of handoffs that ended before a given time: long texts, long data, and unreferenced
// content, see [retention]. Agents, actions, times, titles and short texts stay, and so do all records and events. A
// person calls Retain with the command handoff compact --keep.
//
// A handoff stays whole while an open handoff is in the same workflow or refers to it, for example as a parent, a
// dependency or reviewed work. Messages and notices stay. Retain skips unreadable handoffs and counts them.
//
// One transaction covers at most a few hundred handoffs. After an error or the end of ctx, finished transactions stay
// done, and a repeated call continues with the rest. The error is denied for a caller that is not a person, and invalid
// for a call without a time; other errors come from the store. With DryRun, Retain changes nothing and returns the
// counts of a real run, without unreferenced content.
func (k *Keeping) Retain(ctx context.Context, by schemas.Caller, in schemas.RetainIn) (schemas.RetainOut, error) {
	switch {
	case in.Before.IsZero():
		return schemas.RetainOut{}, schemas.Invalidf("before", "say since when everything is kept").WithHint("Nothing was changed. Give a time.")
	case !in.DryRun && by.Agent != schemas.Human:
		return schemas.RetainOut{}, schemas.Errorf(schemas.Denied, "texts are dropped by a person alone").WithField("agent").
			WithHint("Nothing was changed. A person does it at a terminal, acting as human.")
	}
	r := retention{engine: k.Engine, by: by, before: store.TimeOf(in.Before), dry: in.DryRun || !by.IsProvenPerson()}
	err := r.shortenHandoffs(ctx)
	if err == nil && !r.dry {
		err = r.deleteUnusedContent(ctx)
	}
	done := r.done
	if err == nil && r.dry && !in.DryRun { // a person is asked to confirm this
		return schemas.RetainOut{}, schemas.PersonNeededf("%s of texts of %s, which ended before %s, are dropped for good by a person alone",
			schemas.CountNoun(done.Bytes, "byte"), schemas.CountNoun(done.Handoffs, "handoff"), in.Before.Format(time.DateOnly))
	}
	if k.Free != nil {
		done.Free = k.Free()
	}
	return done, operation.ErrorWithCode(err)
}

// A retention is one run of [Keeping.Retain]. It goes through all records, the oldest first, and handles one portion of
// the records in each transaction. It replaces the long texts and data of each old handoff that no open handoff needs
// (needed.go), see [compose.DropLargeTexts]. Then it deletes the content that was sent along and that no handoff refers
// to any more (sweep.go). For each handoff it writes the event of a redaction, by which an audit can tell dropped texts
// from damage.
//
// No server runs a retention by itself, because dropped texts are lost: a person runs it, or sets up cron to run it.
type retention struct {
	engine *operation.Engine
	by     schemas.Caller
	before store.Time // handoffs that ended then or later stay whole
	dry    bool       // change nothing and return the counts of a real run, without content that was sent along

	needed neededHandoffs
	done   schemas.RetainOut
}

const (
	maxScanned      = 500     // records, or events of a sweep, per transaction
	maxContentBytes = 4 << 20 // bytes of contents after which a transaction stops
)

// shortenHandoffs goes through all records, the oldest first.
func (r *retention) shortenHandoffs(ctx context.Context) (err error) {
	r.needed, err = operation.ReadSnapshot(ctx, r.engine, func(v *store.View) (neededHandoffs, error) { return findNeededHandoffs(v, 0) })
	if err != nil {
		return err
	}
	for after, more := schemas.ID(0), true; more; {
		var p *retentionPortion
		err := r.engine.Update(ctx, r.by, func(o *operation.Op) error {
			p = &retentionPortion{retention: r, op: op{o}, done: r.done}
			return p.run(after)
		})
		if err != nil {
			return err
		}
		after, more = p.last, p.more
		r.needed.merge(p.newNeeds)
		r.done = p.done
	}
	return nil
}

// A retentionPortion is the part of a retention that runs in one transaction.
type retentionPortion struct {
	*retention
	op

	newNeeds neededHandoffs // needs since the last portion
	last     schemas.ID     // the last examined handoff
	more     bool           // there are more handoffs
	read     int            // bytes of contents that were read

	done schemas.RetainOut // the counts of this portion and of those before it
}

func (p *retentionPortion) run(after schemas.ID) (err error) {
	if p.newNeeds, err = findNeededHandoffs(p.View, p.needed.until); err != nil {
		return err
	}
	looked := 0
	for id, err := range p.OldestFirst(store.IndexOfAllHandoffs(), after) {
		if err != nil {
			return err
		}
		if looked++; looked > maxScanned || p.read > maxContentBytes {
			p.more = true
			return nil
		}
		p.last = id
		r, err := p.Record(id)
		if err != nil {
			p.done.Unread++ // handoff check reports it
			continue
		}
		if !p.mayDropContent(r) {
			continue
		}
		if err := p.shortenContents(r); err != nil {
			return err
		}
	}
	return nil
}

// mayDropContent reports whether the retention may drop content of a handoff: the handoff ended before the given time,
// has no deferred consequences, and no open handoff needs it.
func (p *retentionPortion) mayDropContent(r *store.Record) bool {
	ended := r.Status.HasEnded() && len(r.Owes) == 0 && r.Ended < p.before
	return ended && !p.needed.contains(r) && !p.newNeeds.contains(r)
}

// shortenContents replaces the long contents of a handoff's events by shorter contents. If an event cannot be read, it
// changes nothing and counts the handoff as unread. A dry run undoes the change of each handoff.
func (p *retentionPortion) shortenContents(r *store.Record) error {
	err := p.TryPart(func() error { return p.replaceContents(r) })
	switch {
	case errors.Is(err, store.ErrCorrupt):
		p.done.Unread++
	case !errors.Is(err, errDryRun):
		return err
	}
	return nil
}

// errDryRun undoes what a dry run has changed.
const errDryRun operation.UndoError = "it was a dry run"

// replaceContents stores the shorter contents of a handoff's events, and adds one event that records the change.
func (p *retentionPortion) replaceContents(r *store.Record) error {
	events, err := p.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
	if err != nil {
		return err
	}
	freed := 0
	redaction, err := p.redactEvents(events, func(content []byte) ([]byte, error) {
		less, err := compose.DropLargeTexts(content)
		if p.read += len(content); len(less) == 0 || len(less) >= len(content) {
			return nil, err // it is not JSON, or would not get shorter
		}
		freed += len(content) - len(less)
		return less, err
	})
	if err != nil || len(redaction.Events) == 0 {
		return err
	}
	p.done.Handoffs, p.done.Contents = p.done.Handoffs+1, p.done.Contents+len(redaction.Events)
	p.done.Bytes += int64(freed)
	if p.dry {
		return errDryRun
	}
	words, err := reading.SearchWords(p.View, r)
	if err != nil {
		words = store.ListWords(r.Title) // the content was erased before
	}
	if err := cmp.Or(p.PutWords(r.ID, words), p.DeleteTouchedFiles(r.ID)); err != nil {
		return err
	}
	redaction.Before = p.before.Time()
	return p.ChangeRecord(&operation.RecordChange{Action: life.Redact, Content: redaction}, r, func(*store.Record) {})
}
