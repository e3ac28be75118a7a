package operation

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// NotifyAgent puts a notice into the mailbox of an agent: a message that the agent reads and does not claim. It wakes
// calls that wait for mail to that agent. It sends nothing if the agent is the caller, because no agent needs a notice
// of its own action, or if the agent is system, which is the server. The notice is committed with the change that it
// reports, so an undone change leaves no notice. Notices have no consequences and no limit in number; reading a notice
// does not delete it.
func (o *Op) NotifyAgent(to schemas.Agent, n schemas.Notice) error {
	if to == "" || to == schemas.System || to == o.By.Agent {
		return nil
	}
	n.To, n.From, n.At = to, o.By.Agent, o.Now
	_, err := o.tx.AddNotice(n)
	o.WakeAfterCommit(schemas.Address(to))
	return err
}

// NotifySender puts a notice into the mailbox of the sender of a handoff, unless the sender is the caller. If rules of
// a file sent the handoff, the notice goes to the owner of the workflow, see [reading.AgentToNotify].
func (o *Op) NotifySender(r *store.Record, n schemas.Notice) error {
	to, err := reading.AgentToNotify(o.View, r)
	if err != nil {
		return err
	}
	return o.NotifyAgent(to, n)
}

// NoticeOf makes a notice about a handoff. Its kind is the name of an action, or another word that says which news it
// brings. Its text is cut to 1,000 bytes; the reader finds the full text in the handoff, which the notice names.
func NoticeOf(a life.Action, r *store.Record, text string) schemas.Notice {
	return schemas.Notice{
		Kind: string(a), About: r.ID, Title: fmt.Sprintf("Handoff: %s", r.Title), Text: schemas.Clip(text, 1000),
	}
}
