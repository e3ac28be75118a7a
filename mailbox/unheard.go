package mailbox

import (
	"context"

	"handoff/schemas"
)

// What a session is told is marked before it is said. Where it then cannot be said, because whoever asked is gone or its
// client does not listen, the marks are taken back, so that it is told the next time.

// unheard takes back what was marked by a call that nobody waits for any more.
func (s *Service) unheard(by schemas.Caller, in schemas.NewsIn, out schemas.NewsOut) error {
	by.Agent, by.Request = out.Agent, ""
	return s.update(context.Background(), by, func(o *op) error {
		t := telling{op: o, in: schemas.NewsIn{On: schemas.OnUnheard, Session: in.Session, Unheard: out.Marked}}
		_, err := t.answer()
		return err
	})
}

// onUnheard takes back marks.
func (t *telling) onUnheard() error {
	if t.in.Unheard == nil {
		return schemas.Invalidf("unheard", "it is not said what was not heard")
	}
	for _, id := range t.in.Unheard.Handoffs {
		t.moved = t.told.Handoffs.Remove(uint64(id)) || t.moved
	}
	for _, id := range t.in.Unheard.Notices {
		t.moved = t.told.Notices.Remove(uint64(id)) || t.moved
	}
	reminded := false
	for _, id := range t.in.Unheard.Reminded {
		if t.told.Reminded.Remove(uint64(id)) {
			t.moved, reminded = true, true
		}
	}
	if reminded && t.told.InARow > 0 {
		t.told.InARow--
	}
	t.wrote = t.moved // so that those who wait look again
	return nil
}
