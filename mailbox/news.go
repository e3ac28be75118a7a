package mailbox

import (
	"cmp"
	"context"
	"log/slog"

	"handoff/mailbox/connections"
	"handoff/mailbox/delivery"
	"handoff/mailbox/longpoll"
	"handoff/mailbox/operation"
	"handoff/schemas"
)

// News delivers new mail to a client session. The hooks that the client runs at events of the session, such as its
// start, call it. Each handoff and each notice is delivered once in a session. The result names the first five and
// counts the others. The same transaction marks all of them as delivered, so that two hooks that run at the same time
// do not deliver the same mail. Naming a handoff does not claim it, and naming a notice does not mark it read. If there
// is nothing to deliver, nothing is written. At the event wake the call waits for a handoff, if the caller asks for
// that.
//
// Package delivery has a table of the events. The error is invalid for an event that is not in the table, and if the
// client session of the caller is not known. A call that is repeated with its request id gets the same delivery;
// without a request id it gets the mail that came since. If the process dies after the commit and before the session
// reads the response, this session does not get those items again; they stay in the mailbox, and the next session gets
// them.
//
// Limits: it names at most five new items and five held handoffs, looks at a thousand rows of each kind, and keeps the
// marks of delivered mail for a week after the last sign of the session.
func (s *Service) News(ctx context.Context, by schemas.Caller, in schemas.NewsIn) (out schemas.NewsOut, err error) {
	if in.On != schemas.OnWake {
		return s.deliverOnce(ctx, by, in, 0)
	}
	since, until := longpoll.WaitPeriod(by, in.WaitSeconds, s.Now())
	err = s.pollUntil(ctx, until, func() (bool, error) {
		out, err = s.deliverOnce(ctx, by, in, since.UnixNano())
		return len(out.New) > 0 || out.Over != "", err
	})
	return out, err
}

// deliverOnce makes one delivery. If the call is cut off meanwhile, no session receives the delivery, so deliverOnce
// removes the marks that its mail was delivered. The argument since is the beginning of the wait in nanoseconds since
// 1970, which tells two waits of one session apart; it is zero for a call that does not wait.
func (s *Service) deliverOnce(
	ctx context.Context, by schemas.Caller, in schemas.NewsIn, since int64,
) (out schemas.NewsOut, err error) {
	err = s.update(ctx, by, func(o *op) (err error) {
		out, err = operation.RunOncePerRequest(o.Op, func(*operation.Op) (schemas.NewsOut, error) { return o.deliverNews(in, since) })
		return err
	})
	if gone := ctx.Err(); gone != nil && out.Marked != nil {
		return schemas.NewsOut{}, cmp.Or(s.removeDeliveryMarks(by, in, out), operation.ErrorWithCode(gone))
	}
	return out, err
}

// removeDeliveryMarks removes the marks of a delivery whose call was cut off, so that the mail is delivered again later. It does
// not use the context of that call. If it fails, it returns the error and the marks stay.
func (s *Service) removeDeliveryMarks(by schemas.Caller, in schemas.NewsIn, out schemas.NewsOut) error {
	by.Agent, by.Request = out.Agent, ""
	return s.update(context.Background(), by, func(o *op) error {
		_, err := o.deliverNews(schemas.NewsIn{On: schemas.OnUndelivered, Session: in.Session, Undelivered: out.Marked}, 0)
		return err
	})
}

// deliverNews makes a delivery and stores the notes of the delivery as checkpoints of handoffs. It makes the operation
// act as the agent of the session, because a hook need not know the name of that agent. The result of a delivery
// without items is not stored for its request id, so that a repeated call looks for mail again. If the session ends and
// no call was made under its name, the name is released.
func (o *op) deliverNews(in schemas.NewsIn, since int64) (out schemas.NewsOut, err error) {
	if o.By.Agent, err = connections.NameForNews(o.Op, in); err != nil {
		return out, err
	}
	d, err := delivery.MakeDelivery(o, delivery.Session{
		Offers: o.Offers(), In: in, Agent: o.By.Agent, Now: o.Now, Since: since, ReadRecord: o.UsableRecord, Held: o.HandoffsHeldBy,
	})
	if err != nil {
		return out, err
	}
	if d.WakePolls {
		o.WakeAfterCommit()
	}
	noted := o.storeDeliveryNotes(d)
	waits := in.On == schemas.OnWake && len(d.Out.New) == 0 && d.Out.Over == ""
	if !d.MarksChanged && !noted || waits {
		o.SkipReceipt() // a repeat looks again
	}
	if in.On == schemas.OnEnd {
		err = connections.ReleaseName(o.Op, in)
	}
	return d.Out, err
}

// storeDeliveryNotes stores the notes of a delivery as checkpoints of their handoffs. If one handoff cannot be read or cannot
// have a checkpoint, the reason is logged and the other handoffs get their notes. The result reports whether a note was
// stored.
func (o *op) storeDeliveryNotes(d *delivery.Delivery) (noted bool) {
	for _, r := range d.ToNote {
		err := o.TryPart(func() error {
			kept, err := d.CheckpointWithNote(r)
			if kept == nil || err != nil {
				return err
			}
			noted = true
			holder := o.By
			holder.Agent = r.Holder
			return o.RunAs(holder, func() error {
				_, err := o.saveCheckpoint(r, kept)
				return err
			})
		})
		if err != nil {
			o.Logger.Error("a session left no note", slog.String("handoff", r.ID.String()), slog.Any("error", err))
		}
	}
	return noted
}
