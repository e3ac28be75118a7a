package mailbox

import (
	"fmt"
	"slices"

	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// happening is what an operation, the clock or a consequence did to one handoff, and as much of what was said as those
// need who go on with it. It lives as long as the transaction. Only the name of a consequence is kept beyond that, see
// [op.putOff], so consequences that can be put off use nothing of it but the record.
type happening struct {
	action life.Action
	was    *store.Record // as it was read, nil for a new one
	now    *store.Record

	other schemas.ID // the event names it: a handoff that this one made, or was made by
	due   store.Time // the event names it: when the clock was to do this

	said any    // what was said, kept as content of the event, nil for nothing
	part string // what an error calls that where it is too large, "" where it cannot be

	kept store.Content // said as it is kept, set by [op.commit]

	text    string        // what those read who are told of it
	why     lost          // why it did not end well
	then    schemas.Then  // how the work goes on after a failure
	to      schemas.Agent // who goes on after a rollback, "" as the rollback rule says
	forward *draft.Draft  // what a completion passes on, nil for nothing
	chosen  bool          // the holder chose how the work goes on
	sends   []rules.Sends // what the rules of files send because of it, set by [op.commit]
	held    []rules.Sends // what they send once it counts as done, set for a completion that does not
	leave   string        // the file whose rules would go on with the workflow and wait for leave, set with sends
	opened  bool          // it counts as done only now, and judged: so that nothing was sent before
	judged  bool
	again   *revision // what changes about work that is done again, nil for nothing

	by schemas.Caller // who did it, set by [op.commit]
}

// lost is why a handoff did not end well: what its holder said, or what the clock or a sender says. One of the two is
// set.
type lost struct {
	Failure *schemas.Failure
	Reason  string
}

// again is why a handoff is done once more: what its holder asked is no question to the next one, who may be the same
// agent, but something that is not known.
func (l lost) again() lost {
	if l.Failure == nil || l.Failure.RollbackRequest == nil {
		return l
	}
	f := *l.Failure
	f.Failure.Description = l.text() // with the reason, which goes with the request
	f.Failure.Blockers = slices.Clone(f.Failure.Blockers)
	for _, question := range f.RollbackRequest.Questions {
		text := fmt.Sprintf("%s asked, and it is not answered: %s", f.Source.Agent, question)
		f.Failure.Blockers = append(f.Failure.Blockers, schemas.Blocker{Description: text})
	}
	f.RollbackRequest = nil
	return lost{Failure: &f, Reason: l.Reason}
}

// text is the description of the failure, with the reason for which the work was given back where that says more.
func (l lost) text() string {
	if l.Failure == nil {
		return l.Reason
	}
	text := l.Failure.Failure.Description
	if back := l.Failure.RollbackRequest; back != nil && back.Reason != reasonFrom(text) && back.Reason != text {
		text += " (reason: " + back.Reason + ")"
	}
	return text
}

// reasonFrom is the reason of whoever gave none: the beginning of the description.
func reasonFrom(description string) string { return schemas.Clip(description, 200) }
