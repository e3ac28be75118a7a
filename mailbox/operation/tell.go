package operation

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// NotifyAgent leaves a notice with an agent: mail that is read and not claimed. It wakes whoever waits for mail of that
// agent. Nobody gets a notice of what it did itself, and the server gets none. The notice is committed with what it
// tells of, so nobody is told of a change that was undone, and no change that was kept is told twice. Notices have no
// consequences and no limit in number; reading one does not delete it.
func (o *Op) NotifyAgent(to schemas.Agent, n schemas.Notice) error {
	if to == "" || to == schemas.System || to == o.By.Agent {
		return nil
	}
	n.To, n.From, n.At = to, o.By.Agent, o.Now
	_, err := o.tx.Notify(n)
	o.Announce(schemas.Address(to))
	return err
}

// NotifySender leaves a notice with whoever asked for the work, unless it is the one who acts. For work that the rules sent
// that is the owner of the workflow, see [reading.Principal].
func (o *Op) NotifySender(r *store.Record, n schemas.Notice) error {
	to, err := reading.Principal(o.View, r)
	if err != nil {
		return err
	}
	return o.NotifyAgent(to, n)
}

// NoticeOf makes a notice about what became of a handoff. Its kind is the action, or another word for what is told; its text
// has 1,000 bytes at most, and the handoff that it names has the rest.
func NoticeOf(a life.Action, r *store.Record, text string) schemas.Notice {
	return schemas.Notice{
		Kind: string(a), About: r.ID, Title: fmt.Sprintf("Handoff: %s", r.Title), Text: schemas.Clip(text, 1000),
	}
}
