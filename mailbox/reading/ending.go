package reading

import (
	"cmp"
	"fmt"

	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/store"
)

// TimeoutReason says why the clock ended a handoff. If the lease ended at the deadline, the deadline counts.
func TimeoutReason(r *store.Record) string {
	if r.Deadline != 0 && r.Deadline <= r.Ended {
		return DeadlinePassed(r)
	}
	return AttemptsUsedUp(r)
}

// DeadlinePassed says how long after its send the deadline ended a handoff, and which agent held it last. The record
// must have a deadline.
func DeadlinePassed(r *store.Record) string {
	who := "before anybody claimed it"
	if r.Claimed != 0 {
		who = "and " + string(r.Holder) + " held it last"
	}
	return fmt.Sprintf("its deadline passed, %s after it was sent, %s", display.Duration(r.Deadline.Time().Sub(r.Created.Time())), who)
}

// AttemptsUsedUp says how many attempts ended in silence.
func AttemptsUsedUp(r *store.Record) string {
	if r.Attempt == 1 {
		return fmt.Sprintf("its only attempt ended in silence, that of %s", r.Holder)
	}
	return fmt.Sprintf("all %d attempts ended in silence, the last that of %s", r.Attempt, r.Holder)
}

// DoneWell tells whether work counts as done for everything that continues it: dependents, a join, the next step of a
// workflow, a rule. See [schemas.DoneWell].
func DoneWell(r *store.Record) bool {
	return schemas.DoneWell(r.Status, r.Outcome, r.Accepted != 0, r.Reviewer != "")
}

// StaysBlocked tells whether the dependents of a handoff stay blocked until an agent or a person decides: it ended, was
// not done well, and no reviewer was asked.
func StaysBlocked(r *store.Record) bool {
	return r.Status.Ended() && !DoneWell(r) && (r.Status != schemas.Completed || r.Reviewer == "")
}

// EndReason says why a handoff ended without a result that holds: the description of the failure, the reason of a
// timeout, or the note of the agent that returned, cancelled or refused it. For a result under review it names the
// reviewer. It is empty for any other handoff, and if no reason was given: the last report of a holder is no reason. f
// is the failure that [AddOutcome] read, or nil; the caller passes it so that it is read once. The error is about a
// note that cannot be read.
func EndReason(v *store.View, r *store.Record, f *schemas.Failure) (string, error) {
	switch {
	case f != nil:
		return f.Failure.Description, nil
	case r.Status == schemas.TimedOut:
		return TimeoutReason(r), nil
	case r.Status == schemas.Completed:
		return pendingAcceptance(v, r)
	case !r.Status.Ended():
		return "", nil
	}
	var note schemas.UpdateIn
	err := v.DecodeContent(r.ID, r.Note, &note)
	switch note.Action { //nolint:exhaustive // the others end nothing
	case schemas.ActReturn, schemas.ActCancel, schemas.ActRefuse:
		return note.Note, err
	}
	return "", err
}

// wasRolledBack tells whether a failure created the handoff that sends the work back. It creates none if the chain is
// too long, or if a rule of a file sends the work to another recipient.
func wasRolledBack(r *store.Record, f *schemas.Failure) bool {
	return f.Then == schemas.ThenRollback && f.RollbackRequest != nil && r.Rollback != 0
}

// pendingAcceptance names the judge and the round of a result that does not count yet. It returns "" for any other
// result.
func pendingAcceptance(v *store.View, r *store.Record) (string, error) {
	if r.Reviewer == "" || r.Accepted != 0 {
		return "", nil
	}
	h, err := Handoff(v, r)
	if err != nil {
		return "", err
	}
	by, err := Principal(v, r)
	text := fmt.Sprintf("%s accepts or returns it", by)
	if review := RecordOrNil(v, r.Review); review != nil && !review.Status.Ended() {
		text = fmt.Sprintf("under review by %s (%s)", cmp.Or(string(review.Holder), string(review.To)), review.ID)
	}
	return fmt.Sprintf("acceptance pending: %s, round %d of %d", text, max(r.Round, 1), h.Expectations.Rounds()), err
}
