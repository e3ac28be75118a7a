package mailbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"handoff/mailbox/life"
	"handoff/schemas"
)

// forward drafts the handoff that a completion passes on, nil for none, before the transaction. What the continuation
// leaves out it has from the completion: the summary and the reason. The errors are those of [Service.draft], with the
// field below continuation; invalid for one without a task.
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
	if send.Context, err = withContextForNext(send.Context, c.ContextForNext); err != nil {
		return nil, err
	}
	d, err := s.draft(by, send, s.Now())
	if err != nil {
		e := schemas.AsError(err)
		return nil, e.WithField("continuation." + e.Field)
	}
	return &d, nil
}

// withContextForNext adds to a context what a holder says that the next one is to know. What fits a field of the context
// that nobody filled becomes that field, and anything else becomes part of the state under its name.
func withContextForNext(c *schemas.Context, more map[string]any) (*schemas.Context, error) {
	if len(more) == 0 {
		return c, nil
	}
	said := map[string]any{}
	if err := recast(orZero(c), &said); err != nil {
		return nil, err
	}
	state := maps.Clone(orZero(c).State)
	for name, value := range more {
		if said[name] == nil && fitsContext(name, value) {
			said[name] = value
			continue
		}
		if state == nil {
			state = map[string]any{}
		}
		state[name] = value
	}
	var both schemas.Context
	if err := recast(said, &both); err != nil {
		return nil, err
	}
	if both.State == nil {
		both.State = map[string]any{}
	}
	maps.Copy(both.State, state)
	return &both, nil
}

// fitsContext tells whether a value is one that a sender may give for a field of the context.
func fitsContext(name string, value any) bool {
	var c schemas.Context
	if recast(map[string]any{name: value}, &c) != nil {
		return false
	}
	// The mailbox fills these.
	c.Questions, c.Answers, c.Remarks, c.PartialProgress, c.Checkpoint = nil, nil, nil, nil, nil
	kept := map[string]any{}
	return recast(c, &kept) == nil && kept[name] != nil
}

// recast brings a value into another type by way of its JSON.
func recast(from, to any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// passOn sends the continuation of a completed handoff, as its child unless it names another parent, and notes on the
// completed one what it passed on. It is refused like any send; then the completion is undone with it, and the error
// says so. A message is passed on as a notice and noted nowhere.
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
