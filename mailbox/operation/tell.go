package operation

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// NotifyAgent leaves a notice with an agent: mail that is read and not claimed. It wakes waiters for mail of that
// agent. No agent gets a notice of its own action, and the server gets none. The notice is committed with the change
// that it reports, so an undone change has no notice, and a committed change has one. Notices have no consequences and
// no limit in number; reading a notice does not delete it.
func (o *Op) NotifyAgent(to schemas.Agent, n schemas.Notice) error {
	if to == "" || to == schemas.System || to == o.By.Agent {
		return nil
	}
	n.To, n.From, n.At = to, o.By.Agent, o.Now
	_, err := o.tx.Notify(n)
	o.Announce(schemas.Address(to))
	return err
}

// NotifySender leaves a notice with the sender of a handoff, unless the sender is the caller. For work that rules sent
// the notice goes to the owner of the workflow, see [reading.Principal].
func (o *Op) NotifySender(r *store.Record, n schemas.Notice) error {
	to, err := reading.Principal(o.View, r)
	if err != nil {
		return err
	}
	return o.NotifyAgent(to, n)
}

// NoticeOf makes a notice about a handoff. Its kind is an action, or another word for the news. Its text is cut to
// 1,000 bytes; the handoff that it names has the rest.
func NoticeOf(a life.Action, r *store.Record, text string) schemas.Notice {
	return schemas.Notice{
		Kind: string(a), About: r.ID, Title: fmt.Sprintf("Handoff: %s", r.Title), Text: schemas.Clip(text, 1000),
	}
}
