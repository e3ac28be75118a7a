package operation

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// NotifyAgent puts a notice (a message that the agent reads and does not claim) into the mailbox of an agent, and wakes
// calls that wait for mail to that agent. It sends no notice to the caller, because no agent needs a notice of its own
// action, and no notice to the server's agent system. The notice is committed with the change that it reports. The
// number of notices has no limit.
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
// a file sent the handoff, the owner of the workflow gets the notice, see [reading.AgentToNotify].
func (o *Op) NotifySender(r *store.Record, n schemas.Notice) error {
	to, err := reading.AgentToNotify(o.View, r)
	if err != nil {
		return err
	}
	return o.NotifyAgent(to, n)
}

// NoticeOf makes a notice about a handoff. The kind of the notice is the name of the action a. The text is cut to 1,000
// bytes. The notice names the handoff, in which the reader finds the full text.
func NoticeOf(a life.Action, r *store.Record, text string) schemas.Notice {
	return schemas.Notice{
		Kind: string(a), About: r.ID, Title: fmt.Sprintf("Handoff: %s", r.Title), Text: schemas.Clip(text, 1000),
	}
}
