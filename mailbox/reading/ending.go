package reading

import (
	"cmp"
	"fmt"

	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/store"
)

// TimeoutReason says why the clock ended a handoff. If the lease and the deadline ended at the same time, it gives the
// deadline as the reason.
func TimeoutReason(v *store.View, r *store.Record) string {
	if r.Deadline != 0 && r.Deadline <= r.Ended {
		return DeadlineReason(r)
	}
	return AttemptsUsedUpReason(v, r)
}

// DeadlineReason returns a sentence about a handoff that ended at its deadline. The sentence has the time from the send
// to the deadline and the last holder. The record must have a deadline.
func DeadlineReason(r *store.Record) string {
	who := "before anybody claimed it"
	if r.Claimed != 0 {
		who = "and " + string(r.Holder) + " held it last"
	}
	return fmt.Sprintf("its deadline passed, %s after it was sent, %s", display.FormatDuration(r.Deadline.Time().Sub(r.Created.Time())), who)
}

// AttemptsUsedUpReason returns a sentence about a handoff that ended because all its attempts ended without an outcome.
func AttemptsUsedUpReason(v *store.View, r *store.Record) string {
	last := schemas.WithPrefix(", whose ", RefusalBeforeSilence(v, r))
	if r.Attempt == 1 {
		return fmt.Sprintf("its only attempt ended because its holder went silent: %s%s", r.Holder, last)
	}
	return fmt.Sprintf("all %d attempts ended because the holder went silent, the last one: %s%s", r.Attempt, r.Holder, last)
}

// IsDoneWell reports whether a handoff counts as done well. Only then may work that builds on the handoff begin, for
// example dependent handoffs and the next step of a workflow. See [schemas.IsDoneWell].
func IsDoneWell(r *store.Record) bool {
	return schemas.IsDoneWell(r.Status, r.Outcome, r.Accepted != 0, r.Reviewer != "")
}

// KeepsDependentsBlocked reports whether the handoffs that depend on r stay blocked until an agent or a person decides
// about them. This holds if r ended, was not done well, and no reviewer still has to judge its result.
func KeepsDependentsBlocked(r *store.Record) bool {
	return r.Status.HasEnded() && !IsDoneWell(r) && (r.Status != schemas.Completed || r.Reviewer == "")
}

// EndReason returns the reason why a handoff ended without an accepted result: the description of the failure, the
// reason of a timeout, or the note of the agent that returned, cancelled or refused the handoff. For a result under
// review, it names the reviewer. It returns "" for any other handoff, and if the agent gave no reason. The argument f
// is the failure that [AddOutcome] has read, or nil if the handoff has no failure.
func EndReason(v *store.View, r *store.Record, f *schemas.Failure) (string, error) {
	switch {
	case f != nil:
		return f.Failure.Description, nil
	case r.Status == schemas.TimedOut:
		return TimeoutReason(v, r), nil
	case r.Status == schemas.Completed:
		return acceptanceReason(v, r)
	case !r.Status.HasEnded():
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

// acceptanceReason says which reviewer or person still has to accept a completed result, and in which round of reviews.
// It returns "" if the result needs no further acceptance.
func acceptanceReason(v *store.View, r *store.Record) (string, error) {
	if r.Reviewer == "" || r.Accepted != 0 {
		return "", nil
	}
	h, err := ReadHandoff(v, r)
	if err != nil {
		return "", err
	}
	by, err := AgentToNotify(v, r)
	text := fmt.Sprintf("%s accepts or returns it", by)
	if review := RecordOrNil(v, r.Review); review != nil && !review.Status.HasEnded() {
		text = fmt.Sprintf("under review by %s (%s)", cmp.Or(string(review.Holder), string(review.To)), review.ID)
	}
	return fmt.Sprintf("acceptance pending: %s, round %d of %d", text, max(r.Round, 1), h.Expectations.MaxRoundsOrDefault()), err
}
