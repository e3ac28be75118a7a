package mailbox

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/schemas"
)

// forward drafts the handoff that a completion passes on, nil for none, before the transaction. What the continuation
// leaves out it has from the completion: the summary and the reason. The errors are those of [Service.draft], with the
// field below continuation; invalid for one without a task. The draft is made before it is known whether the caller
// holds the handoff, so its errors come first. It reads nothing from the store.
func (s *Service) forward(by schemas.Caller, in schemas.CompleteIn) (_ *draft, err error) {
	c := in.Continuation
	if c == nil || c.To == "" {
		return nil, nil
	}
	send := c.SendIn
	options := orZero(send.Options)
	options.Reason = cmp.Or(options.Reason, c.Reason)
	send.Options = &options
	if send.Task == "" {
		return nil, schemas.Invalidf("continuation.task", "is needed to pass on to %s", c.To).
			WithHint("Say what %s is to do, or pass nothing on.", c.To)
	}
	send.Summary = cmp.Or(send.Summary, in.Summary) // what was just found is what the next one needs
	if send.Context, err = compose.WithContext(send.Context, c.ContextForNext); err != nil {
		return nil, err
	}
	d, err := s.draft(by, send, s.Now())
	if err != nil {
		e := schemas.AsError(err)
		return nil, e.WithField("continuation." + e.Field)
	}
	return &d, nil
}

// passOn sends the continuation of a completed handoff, as its child unless it names another parent, and notes on the
// completed one what it passed on. It is refused like any send; then the completion is undone with it, and the error
// says so. A message is passed on as a notice and noted nowhere. The draft may be used by another run of the
// transaction, so a copy of it is changed. It comes from the holder, also where the caller acted under another name
// over the connection that claimed.
func (o *op) passOn(h *happening) (*schemas.SendOut, error) {
	r, next := h.now, *h.forward
	next.parent = cmp.Or(next.parent, r.ID.String())
	if next.handoff.Source.Agent != o.by.Agent { // the token said who it is
		next.handoff.Source.Agent = o.by.Agent
		if err := o.encode(&next); err != nil {
			return nil, err
		}
	}
	sent, err := o.deliver(&next)
	if err != nil {
		e := schemas.AsError(err)
		hint := strings.TrimSpace(fmt.Sprintf("%s %s was not completed either.", e.Hint, r.ID))
		return nil, e.About(0, "", 0).WithField(strings.TrimSuffix("continuation."+e.Field, ".")).WithHint("%s", hint).WithNext()
	}
	if sent.HandoffID == 0 {
		return &sent, nil
	}
	now := r.Clone()
	now.Forwarded = sent.HandoffID
	return &sent, o.commit(happening{action: life.Forward, was: r, now: &now, other: sent.HandoffID})
}
