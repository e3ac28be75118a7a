package reading

import (
	"cmp"
	"fmt"

	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/store"
)

// TimeoutReason says why the clock ended a handoff. If the lease and the deadline ended at the same time, it names the
// deadline.
func TimeoutReason(r *store.Record) string {
	if r.Deadline != 0 && r.Deadline <= r.Ended {
		return DeadlineReason(r)
	}
	return AttemptsReason(r)
}

// DeadlineReason returns a sentence for a handoff that ended at its deadline: how long the time from its send to the
// deadline was, and which agent held the handoff last. The record must have a deadline.
func DeadlineReason(r *store.Record) string {
	who := "before anybody claimed it"
	if r.Claimed != 0 {
		who = "and " + string(r.Holder) + " held it last"
	}
	return fmt.Sprintf("its deadline passed, %s after it was sent, %s", display.Duration(r.Deadline.Time().Sub(r.Created.Time())), who)
}

// AttemptsReason says how many attempts ended in silence.
func AttemptsReason(r *store.Record) string {
	if r.Attempt == 1 {
		return fmt.Sprintf("its only attempt ended because its holder went silent: %s", r.Holder)
	}
	return fmt.Sprintf("all %d attempts ended because the holder went silent, the last one: %s", r.Attempt, r.Holder)
}

// IsDoneWell reports whether a handoff counts as done well, so that work that builds on it may begin: dependent handoffs,
// the handoff that joins parallel work, the next step of a workflow, and sends of rules. See [schemas.IsDoneWell].
func IsDoneWell(r *store.Record) bool {
	return schemas.DoneWell(r.Status, r.Outcome, r.Accepted != 0, r.Reviewer != "")
}

// KeepsDependentsBlocked reports whether the handoffs that depend on r stay blocked until an agent or a person decides about
// them. They do if r ended, was not done well, and no reviewer has still to judge its result.
func KeepsDependentsBlocked(r *store.Record) bool {
	return r.Status.Ended() && !IsDoneWell(r) && (r.Status != schemas.Completed || r.Reviewer == "")
}

// EndReason says why a handoff ended without an accepted result. It returns the description of the failure, the reason
// of a timeout, or the note of the agent that returned, cancelled or refused the handoff. If the result is under
// review, EndReason names the reviewer. It returns "" for any other handoff, and if the agent gave no reason: the
// holder's last report does not count as a reason. f is the failure that [AddOutcome] has read, or nil; the caller
// passes it so that it is not read twice. EndReason returns an error if the note cannot be read.
func EndReason(v *store.View, r *store.Record, f *schemas.Failure) (string, error) {
	switch {
	case f != nil:
		return f.Failure.Description, nil
	case r.Status == schemas.TimedOut:
		return TimeoutReason(r), nil
	case r.Status == schemas.Completed:
		return acceptanceReason(v, r)
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

// wasRolledBack reports whether a failure created a handoff that sends the work back. It did not if the chain of
// handoffs that continue one another has reached its limit, or if a rule of a file sent the work to another recipient
// instead.
func wasRolledBack(r *store.Record, f *schemas.Failure) bool {
	return f.Then == schemas.ThenRollback && f.RollbackRequest != nil && r.Rollback != 0
}

// acceptanceReason says which reviewer or person still has to accept a completed result, and in which round of
// reviews. It returns "" if the result needs no further acceptance.
func acceptanceReason(v *store.View, r *store.Record) (string, error) {
	if r.Reviewer == "" || r.Accepted != 0 {
		return "", nil
	}
	h, err := Handoff(v, r)
	if err != nil {
		return "", err
	}
	by, err := AgentToNotify(v, r)
	text := fmt.Sprintf("%s accepts or returns it", by)
	if review := RecordOrNil(v, r.Review); review != nil && !review.Status.Ended() {
		text = fmt.Sprintf("under review by %s (%s)", cmp.Or(string(review.Holder), string(review.To)), review.ID)
	}
	return fmt.Sprintf("acceptance pending: %s, round %d of %d", text, max(r.Round, 1), h.Expectations.Rounds()), err
}
