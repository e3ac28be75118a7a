package mailbox

import (
	"fmt"

	"handoff/schemas"
	"handoff/store"
)

// noticeOf makes a notice about what became of a handoff.
func noticeOf(a action, r *store.Record, text string) schemas.Notice {
	return schemas.Notice{
		Kind: string(a), About: r.ID, Title: fmt.Sprintf("Handoff: %s", r.Title), Text: schemas.Clip(text, 1000),
	}
}

// notify leaves a notice with an agent, unless it is the one who acts: nobody is told what it did itself.
func (o *op) notify(to schemas.Agent, n schemas.Notice) error {
	if to == "" || to == schemas.System || to == o.by.Agent {
		return nil
	}
	n.To, n.From, n.At = to, o.by.Agent, o.now
	_, err := o.tx.Notify(n)
	o.boxes = append(o.boxes, schemas.Address(to))
	return err
}
