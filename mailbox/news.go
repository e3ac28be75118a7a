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

// News delivers new mail to a client session. The hooks of the client call it at events of the session, such as its
// start. Each handoff and each notice is delivered once in a session. The result names at most five new items and five
// held handoffs, and counts the items that it does not name. A delivered handoff is not claimed, and a delivered notice
// stays unread. At the event "wake", the call waits for a handoff if the caller asks for a wait.
//
// The same transaction marks the items as delivered, so that two hooks that run at the same time do not deliver the
// same mail. If there is nothing to deliver, nothing is written. News looks at a thousand rows of each kind, and keeps
// its marks for a week after the session was last heard of.
//
// Package delivery has a table of the events. The error is invalid for an unknown event or client session. A call that
// is repeated with its request id gets the same delivery. If the process dies after the commit and before the session
// reads the response, only the next session gets the items again.
func (s *Service) News(ctx context.Context, by schemas.Caller, in schemas.NewsIn) (out schemas.NewsOut, err error) {
	if in.On != schemas.OnWake {
		return s.deliverOnce(ctx, by, in, 0)
	}
	since, until := longpoll.WaitPeriod(by, in.WaitSeconds, s.Now())
	err = s.pollUntil(ctx, by, until, s.hub.NextChange, func() (bool, error) {
		out, err = s.deliverOnce(ctx, by, in, since.UnixNano())
		return len(out.New) > 0 || out.Over != "", err
	})
	return out, err
}

// deliverOnce makes one delivery. If the call is cut off, the session does not get the delivery, so deliverOnce removes
// the marks of the delivery. The parameter since is the beginning of the wait in nanoseconds since 1970, which tells
// two waits of one session apart. It is zero for a call that does not wait.
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

// removeDeliveryMarks removes the marks of a delivery whose call was cut off, so that the mail is delivered again. It
// does not use the context of the call, which has ended. After an error the marks stay.
func (s *Service) removeDeliveryMarks(by schemas.Caller, in schemas.NewsIn, out schemas.NewsOut) error {
	by.Agent, by.Request = out.Agent, ""
	return s.update(context.Background(), by, func(o *op) error {
		_, err := o.deliverNews(schemas.NewsIn{On: schemas.OnUndelivered, Session: in.Session, Undelivered: out.Marked}, 0)
		return err
	})
}

// deliverNews makes a delivery and stores the notes of the delivery as checkpoints of handoffs. The operation acts as
// the agent of the session, because a hook need not know the name of that agent. An empty result is not stored for the
// request id, so that a repeated call looks for mail again. At the end of a session, deliverNews releases the name of
// the session if no call used the name.
func (o *op) deliverNews(in schemas.NewsIn, since int64) (out schemas.NewsOut, err error) {
	if o.By.Agent, err = connections.NameForNews(o.Op, in); err != nil {
		return out, err
	}
	polls, pollsForWork := o.hub.Polls(o.By.Agent, in.Session)
	d, err := delivery.MakeDelivery(o.RowTx, delivery.Session{
		Offers: o.Offers(), In: in, Agent: o.By.Agent, Now: o.Now, WaitBegan: since, Polls: polls, PollsForWork: pollsForWork,
		ReadRecord: o.UsableRecord, Held: o.HandoffsHeldBy,
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

// storeDeliveryNotes stores the notes of a delivery as checkpoints of their handoffs, and reports whether it stored a
// note. If a note cannot be stored, the reason is logged, and the other handoffs get their notes.
func (o *op) storeDeliveryNotes(d *delivery.Delivery) (noted bool) {
	for _, r := range d.HandoffsToNote {
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
