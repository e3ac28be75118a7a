package operation

import (
	"fmt"
	"slices"

	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// Happening describes one change of one handoff by an operation, the clock or a consequence, with the content that its
// consequences need. It lives as long as the transaction. Only the name of a consequence outlives it, see
// [Op.deferDuties], so consequences that can be deferred use nothing of it but the record.
type Happening struct {
	Action life.Action
	Was    *store.Record // as it was read, nil for a new handoff
	Now    *store.Record

	Other schemas.ID // the event names it: the handoff that this one created, or that created this one
	Due   store.Time // the event names it: the due time, if the clock acts

	Content     any    // the message behind the change, kept as content of the event, nil for none
	ContentName string // its name in the error about content that is too large, "" if it cannot be too large

	Stored store.Content // content as it is stored, set by [Op.Commit]

	Text      string        // the text of notices about it
	Why       Loss          // why the handoff did not end well
	Then      schemas.Then  // how the work continues after a failure
	To        schemas.Agent // the recipient after a rollback, "" for the recipient of the rollback rule
	Forward   *draft.Draft  // the handoff that a completion sends on, nil for none
	Chosen    bool          // the holder chose how the work continues
	Sends     []rules.Sends // sends of the rules of files because of it, set by [Op.Commit]
	HeldSends []rules.Sends // sends that wait until the completion counts as done
	LeaveFile string        // the file whose rules wait for a person's permission to continue the workflow, set with Sends
	Opened    bool          // the work counts as done only now, after a judgement: nothing was sent before
	Judged    bool
	Revision  any // changes to work that is done again, nil for none

	By schemas.Caller // the caller, set by [Op.Commit]
}

// Loss says why a handoff did not end well: the holder's failure, or the reason of the clock or the sender. One of the
// two fields is set.
type Loss struct {
	Failure *schemas.Failure
	Reason  string
}

// ForRetry returns the loss for the next holder. The questions of the last holder become blockers, because the next
// holder, perhaps the same agent, has to know that they are open.
func (l Loss) ForRetry() Loss {
	if l.Failure == nil || l.Failure.RollbackRequest == nil {
		return l
	}
	f := *l.Failure
	f.Failure.Description = l.Text() // with the reason, which is dropped with the request
	f.Failure.Blockers = slices.Clone(f.Failure.Blockers)
	for _, question := range f.RollbackRequest.Questions {
		text := fmt.Sprintf("%s asked, and it is not answered: %s", f.Source.Agent, question)
		f.Failure.Blockers = append(f.Failure.Blockers, schemas.Blocker{Description: text})
	}
	f.RollbackRequest = nil
	return Loss{Failure: &f, Reason: l.Reason}
}

// Text returns the description of the failure, and the reason of its rollback request if that says more.
func (l Loss) Text() string {
	if l.Failure == nil {
		return l.Reason
	}
	text := l.Failure.Failure.Description
	if back := l.Failure.RollbackRequest; back != nil && back.Reason != ReasonFrom(text) && back.Reason != text {
		text += " (reason: " + back.Reason + ")"
	}
	return text
}

// ReasonFrom returns the reason for a failure without one: the beginning of its description.
func ReasonFrom(description string) string { return schemas.Clip(description, 200) }

// Routed tells whether a rule continues the work, now or after a person's permission.
func (h *Happening) Routed() bool { return len(h.Sends) > 0 || h.LeaveFile != "" }
