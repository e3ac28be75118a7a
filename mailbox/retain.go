package mailbox

import (
	"context"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/retention"
	"handoff/schemas"
	"handoff/store"
)

// Retain takes out of handoffs that ended before a time what takes space: long texts, long data, and content that was
// sent along to which no other handoff refers, see package retention. Who did what and when, titles and short texts
// stay, and so do all records and events. Each handoff gets one more event, by which an audit tells what
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
	r := retention.Retention{Store: s.Store, Before: store.At(in.Before)}
	if !in.DryRun && by.InPerson() {
		r.Update = func(ctx context.Context, fn func(retention.Tx) error) error {
			return s.update(ctx, by, func(o *op) error { return fn(retention.Tx{Tx: o.tx, Commit: o.redacted}) })
		}
	}
	done, err := r.Run(ctx)
	if err == nil && r.Update == nil && !in.DryRun { // a person is asked this
		return schemas.RetainOut{}, schemas.PersonNeeded("%d bytes of texts of %d handoffs, which ended before %s, are let go of for good by a person alone",
			done.Bytes, done.Handoffs, in.Before.Format(time.DateOnly))
	}
	if s.Free != nil {
		done.Free = s.Free()
	}
	return done, coded(err)
}

// redacted commits the redaction of a record. It changed contents, and nothing in the record.
func (o *op) redacted(r *store.Record, said schemas.Redaction) error {
	now, err := o.step(life.Redact, r)
	if err != nil {
		return err
	}
	return o.commit(happening{action: life.Redact, was: r, now: &now, said: said})
}
