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

// News delivers to a session what it is to know at an event: the hooks of the session ask for it when something happens
// in it. Each handoff and each notice is delivered once in a session: the first few are named, the others counted, and
// all are marked in the same transaction, so hooks that run at once do not repeat each other. A handoff that is named
// is not claimed, and a notice not read. Nothing is written when there is nothing to deliver. On wake the call waits
// for a handoff, if asked.
//
// The events are in a table of package delivery. The error is invalid for another event, and where nothing tells which
// session of the client calls. A call that is repeated with its request id gets the same delivery; without one it gets
// what is new since. If the process dies after the commit and before the session reads the answer, those items are not
// delivered again in this session; they stay in the mailbox, and are delivered to the next session.
//
// Limits: five items and five held handoffs are named, a thousand rows of each kind are looked at, and marks are kept
// for a week after the session was last heard of.
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

// deliverOnce makes one delivery. Where the call is over by then, nobody receives it: its marks are taken back. Since
// tells apart the waits of one session, in nanoseconds since 1970, zero for a call that does not wait.
func (s *Service) deliverOnce(
	ctx context.Context, by schemas.Caller, in schemas.NewsIn, since int64,
) (out schemas.NewsOut, err error) {
	err = s.update(ctx, by, func(o *op) (err error) {
		out, err = operation.Once(o.Op, func(*operation.Op) (schemas.NewsOut, error) { return o.deliverNews(in, since) })
		return err
	})
	if gone := ctx.Err(); gone != nil && out.Marked != nil {
		return schemas.NewsOut{}, cmp.Or(s.undeliver(by, in, out), operation.Coded(gone))
	}
	return out, err
}

// undeliver takes back the marks of a delivery that nobody waits for any more. The context of that call is over, so it
// is not used. A failure is returned, and the marks stay.
func (s *Service) undeliver(by schemas.Caller, in schemas.NewsIn, out schemas.NewsOut) error {
	by.Agent, by.Request = out.Agent, ""
	return s.update(context.Background(), by, func(o *op) error {
		_, err := o.deliverNews(schemas.NewsIn{On: schemas.OnUndelivered, Session: in.Session, Undelivered: out.Marked}, 0)
		return err
	})
}

// deliverNews makes a delivery and keeps what it says of handoffs. From here on the operation acts as the agent under whose
// name the session runs, which a hook need not know. A call that delivered nothing is not remembered under its request
// id, so that its repeat looks again. A session that ends releases a name under which nothing was done.
func (o *op) deliverNews(in schemas.NewsIn, since int64) (out schemas.NewsOut, err error) {
	if o.By.Agent, err = connections.NameForNews(o.Op, in); err != nil {
		return out, err
	}
	d, err := delivery.Make(o, delivery.Session{
		Offers: o.Offers(), In: in, Agent: o.By.Agent, Now: o.Now, Since: since, ReadRecord: o.UsableRecord, Held: o.HeldBy,
	})
	if err != nil {
		return out, err
	}
	if d.WakePolls {
		o.Announce()
	}
	noted := o.leaveNotes(d)
	waits := in.On == schemas.OnWake && len(d.Out.New) == 0 && d.Out.Over == ""
	if !d.MarksChanged && !noted || waits {
		o.SkipReceipt() // a repeat looks again
	}
	if in.On == schemas.OnEnd {
		err = connections.ReleaseName(o.Op, in)
	}
	return d.Out, err
}

// leaveNotes leaves the notes of a delivery as checkpoints, each alone, so one handoff that refuses it, or cannot be
// read, costs no other its note; the log has the reason. It tells whether there was any.
func (o *op) leaveNotes(d *delivery.Delivery) (noted bool) {
	for _, r := range d.ToNote {
		err := o.TryPart(func() error {
			kept, err := d.Note(r)
			if kept == nil || err != nil {
				return err
			}
			noted = true
			holder := o.By
			holder.Agent = r.Holder
			return o.ActingAs(holder, func() error {
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
