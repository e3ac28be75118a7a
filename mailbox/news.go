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

// News delivers new mail to a client session at an event: the hooks of the session call it when something happens in
// it. Each handoff and each notice is delivered once in a session. The result names the first few and counts the
// others, and the same transaction marks all of them, so that hooks that run at once do not repeat each other. Naming a
// handoff does not claim it, and naming a notice does not mark it read. Without anything to deliver, nothing is
// written. On wake the call waits for a handoff, if asked.
//
// The events are in a table of package delivery. The error is invalid for another event, and if the caller's session of
// the client is not known. A call that is repeated with its request id gets the same delivery; without one it gets the
// mail that is new since. If the process dies after the commit and before the session reads the response, this session
// does not get those items again; they stay in the mailbox, and the next session gets them.
//
// Limits: it names five items and five held handoffs, looks at a thousand rows of each kind, and keeps marks for a week
// after the last sign of the session.
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

// deliverOnce makes one delivery. If the call ends meanwhile, no session receives the delivery, so deliverOnce takes
// its marks back. Since tells the waits of one session apart, in nanoseconds since 1970; it is zero for a call that
// does not wait.
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

// undeliver takes back the marks of a delivery whose call has ended. It does not use the context of that call. If it
// fails, it returns the error and the marks stay.
func (s *Service) undeliver(by schemas.Caller, in schemas.NewsIn, out schemas.NewsOut) error {
	by.Agent, by.Request = out.Agent, ""
	return s.update(context.Background(), by, func(o *op) error {
		_, err := o.deliverNews(schemas.NewsIn{On: schemas.OnUndelivered, Session: in.Session, Undelivered: out.Marked}, 0)
		return err
	})
}

// deliverNews makes a delivery and leaves its notes with the handoffs. From here on the operation acts as the agent of
// the session, whose name a hook need not know. A delivery without items stores no receipt for its request id, so that
// a repeat looks again. A session that ends releases a name under which no call was made.
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

// leaveNotes leaves the notes of a delivery as checkpoints, each on its own. A handoff that refuses its note or cannot
// be read does not cost other handoffs their notes; the log has the reason. It tells whether it left a note.
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
