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

// Happening is what an operation, the clock or a consequence did to one handoff, and as much of what was said as those
// need who go on with it. It lives as long as the transaction. Only the name of a consequence is kept beyond that, see
// [Op.deferDuties], so consequences that can be put off use nothing of it but the record.
type Happening struct {
	Action life.Action
	Was    *store.Record // as it was read, nil for a new one
	Now    *store.Record

	Other schemas.ID // the event names it: a handoff that this one made, or was made by
	Due   store.Time // the event names it: when the clock was to do this

	Content     any    // what was said, kept as content of the event, nil for nothing
	ContentName string // what an error calls that where it is too large, "" where it cannot be

	Stored store.Content // said as it is kept, set by [Op.Commit]

	Text      string        // what those read who are told of it
	Why       Loss          // why it did not end well
	Then      schemas.Then  // how the work goes on after a failure
	To        schemas.Agent // who goes on after a rollback, "" as the rollback rule says
	Forward   *draft.Draft  // what a completion passes on, nil for nothing
	Chosen    bool          // the holder chose how the work goes on
	Sends     []rules.Sends // what the rules of files send because of it, set by [Op.Commit]
	HeldSends []rules.Sends // what they send once it counts as done, set for a completion that does not
	LeaveFile string        // the file whose rules would go on with the workflow and wait for leave, set with sends
	Opened    bool          // it counts as done only now, and judged: so that nothing was sent before
	Judged    bool
	Revision  any // what changes about work that is done again, nil for nothing

	By schemas.Caller // who did it, set by [Op.Commit]
}

// Loss is why a handoff did not end well: what its holder said, or what the clock or a sender says. One of the two is
// set.
type Loss struct {
	Failure *schemas.Failure
	Reason  string
}

// ForRetry is why a handoff is done once more: what its holder asked is no question to the next one, who may be the same
// agent, but something that is not known.
func (l Loss) ForRetry() Loss {
	if l.Failure == nil || l.Failure.RollbackRequest == nil {
		return l
	}
	f := *l.Failure
	f.Failure.Description = l.Text() // with the reason, which goes with the request
	f.Failure.Blockers = slices.Clone(f.Failure.Blockers)
	for _, question := range f.RollbackRequest.Questions {
		text := fmt.Sprintf("%s asked, and it is not answered: %s", f.Source.Agent, question)
		f.Failure.Blockers = append(f.Failure.Blockers, schemas.Blocker{Description: text})
	}
	f.RollbackRequest = nil
	return Loss{Failure: &f, Reason: l.Reason}
}

// text is the description of the failure, with the reason for which the work was given back where that says more.
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

// ReasonFrom is the reason of whoever gave none: the beginning of the description.
func ReasonFrom(description string) string { return schemas.Clip(description, 200) }

// Routed tells whether a rule goes on with what happened, now or once a person allowed it.
func (h *Happening) Routed() bool { return len(h.Sends) > 0 || h.LeaveFile != "" }
