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

// RecordChange describes one change of one handoff, with the content that the consequences of the change need. It
// exists only during the transaction. If a consequence is deferred to a later transaction, only the name of the
// consequence is stored, see [Op.deferConsequences]. So a deferred consequence may read the record, and no other field
// of the RecordChange.
type RecordChange struct {
	Action life.Action
	Was    *store.Record // the record before the change, nil for a new handoff
	Now    *store.Record

	Other schemas.ID // the event names it: the handoff that this one created, or that created this one
	Due   store.Time // the event names it: the due time, if the clock acts

	Content     any    // the message behind the change, kept as content of the event, nil for none
	ContentName string // its name in the error about content that is too large, "" if it cannot be too large

	Stored store.Content // content as it is stored, set by [Op.Commit]

	Text         string                      // the text of notices about it
	Why          EndReason                   // why the handoff did not end well
	Then         schemas.FailureContinuation // how the work continues after a failure
	To           schemas.Agent               // the recipient after a rollback, "" for the recipient of the rollback rule
	Forward      *draft.Draft                // the handoff that a completion sends on, nil for none
	Chosen       bool                        // the holder chose how the work continues
	Sends        []rules.RuleSends           // sends of the rules of files because of it, set by [Op.Commit]
	HeldSends    []rules.RuleSends           // sends that wait until the completion counts as done
	FileToPermit string                      // the file whose rules wait for a person's permission to continue the workflow, set with Sends
	Opened       bool                        // the work counts as done only now, after a judgement: nothing was sent before
	Revision     any                         // changes to work that is done again, nil for none

	By schemas.Caller // the caller, set by [Op.Commit]
}

// EndReason says why a handoff did not end well. Failure is set if the holder reported a failure. Reason is set if the
// clock or the sender ended the handoff.
type EndReason struct {
	Failure *schemas.Failure
	Reason  string
}

// ReasonForRetry returns the reason as the next holder gets it. Questions in the last holder's rollback request become
// blockers of the failure, because the next holder has to know that these questions are open.
func (l EndReason) ReasonForRetry() EndReason {
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
	return EndReason{Failure: &f, Reason: l.Reason}
}

// Text returns the description of the failure. The reason of the failure's rollback request follows, if the reason
// differs from the description.
func (l EndReason) Text() string {
	if l.Failure == nil {
		return l.Reason
	}
	text := l.Failure.Failure.Description
	if back := l.Failure.RollbackRequest; back != nil && back.Reason != ReasonFrom(text) && back.Reason != text {
		text += " (reason: " + back.Reason + ")"
	}
	return text
}

// ReasonFrom returns a reason for a failure whose holder gave no reason: the beginning of the failure's description.
func ReasonFrom(description string) string { return schemas.Clip(description, 200) }

// IsContinuedByRule reports whether a rule of a file continues the work after this change. The rule may still wait
// until a person permits the rules of that file.
func (h *RecordChange) IsContinuedByRule() bool { return len(h.Sends) > 0 || h.FileToPermit != "" }
