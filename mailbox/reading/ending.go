package reading

import (
	"cmp"
	"fmt"

	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/store"
)

// TimeoutReason is why the clock ended a handoff. Where a lease ended at the deadline the clock judges the deadline.
func TimeoutReason(r *store.Record) string {
	if r.Deadline != 0 && r.Deadline <= r.Ended {
		return DeadlinePassed(r)
	}
	return AttemptsUsedUp(r)
}

// DeadlinePassed says after how long the deadline of a handoff ended it, and in whose hands it was. It is for a record
// that has a deadline.
func DeadlinePassed(r *store.Record) string {
	who := "before anybody claimed it"
	if r.Claimed != 0 {
		who = "and " + string(r.Holder) + " held it last"
	}
	return fmt.Sprintf("its deadline passed, %s after it was sent, %s", display.Duration(r.Deadline.Time().Sub(r.Created.Time())), who)
}

// AttemptsUsedUp says how many attempts ended without a word.
func AttemptsUsedUp(r *store.Record) string {
	if r.Attempt == 1 {
		return fmt.Sprintf("its only attempt ended in silence, that of %s", r.Holder)
	}
	return fmt.Sprintf("all %d attempts ended in silence, the last that of %s", r.Attempt, r.Holder)
}

// DoneWell tells whether work counts as done for all that goes on after it: what waits for it, a join, the next step of a
// workflow, a rule. See [schemas.DoneWell].
func DoneWell(r *store.Record) bool {
	return schemas.DoneWell(r.Status, r.Outcome, r.Accepted != 0, r.Reviewer != "")
}

// StaysBlocked tells whether what waits for a handoff stays blocked until somebody decides: it ended, was not done well, and
// nobody was asked to review it.
func StaysBlocked(r *store.Record) bool {
	return r.Status.Ended() && !DoneWell(r) && (r.Status != schemas.Completed || r.Reviewer == "")
}

// EndReason is why a handoff ended without a result that holds: what the failure says, what the clock judged, or the
// note of whoever returned, cancelled or refused it; of a result that is reviewed, who reviews it. It is empty for any
// other, and where nobody gave a reason: the last report of a holder is none. F is the failure that [AddOutcome] read, nil
// where there is none; the caller hands it in, so that it is read once. The error is that of reading the note.
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

// wasRolledBack tells whether a failure made the handoff that sends the work back. It makes none where the chain is too
// long, and where a rule of a file sends the work elsewhere.
func wasRolledBack(r *store.Record, f *schemas.Failure) bool {
	return f.Then == schemas.ThenRollback && f.RollbackRequest != nil && r.Rollback != 0
}

// pendingAcceptance says who judges a result that does not count yet, and in which round; "" for any other result.
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
