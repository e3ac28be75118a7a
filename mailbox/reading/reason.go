package reading

import (
	"fmt"
	"time"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Reason is why a handoff stands as it does, where its state alone does not tell: why it ended, what its holder asked
// and whom, what became of its holder, and which of those that it waits for will not be completed. It is empty for what
// goes on as usual. Lists, standings and histories all tell it in these words. What agents wrote is in it as they wrote
// it: whoever shows it cuts it and makes it visible.
func (rd Reader) Reason(v *store.View, r *store.Record) (string, error) {
	switch {
	case r.AwaitsLeave() != "":
		return LeaveReason(r.AwaitsLeave()), nil
	case r.Status.Ended():
		var got schemas.GetOut
		if err := AddOutcome(v, r, &got); err != nil {
			return "", err
		}
		return EndReason(v, r, got.Failure)
	case r.Status == schemas.Waiting:
		return questionReason(v, r)
	case r.Status.Held() && rd.ConnectionGone(r):
		return fmt.Sprintf("the connection of %s ended", r.Holder), nil
	case len(r.After) > 0:
		return blockedReason(v, r)
	case r.Status == schemas.Pending && (r.Claims > 0 || len(r.Excluded) > 0):
		return pendingReason(v, r)
	}
	return "", nil
}

// NoFile stands in the place of a file where none has the step just now, as after the checkout of another branch.
const NoFile = "no file"

// LeaveReason says for whose leave a workflow waits, or that it waits for a file.
func LeaveReason(file string) string {
	if file == NoFile {
		return "what follows waits until a file has this step again: handoff cancel says that nobody goes on with it"
	}
	return "what follows waits for a person's leave for the rules of " + schemas.Visible(file) + ": handoff allow"
}

// questionReason tells what a holder asked, and who is to answer.
func questionReason(v *store.View, r *store.Record) (string, error) {
	var asked schemas.UpdateIn
	if err := v.DecodeContent(r.ID, r.Ask, &asked); err != nil {
		return "", err
	}
	to, err := AwaitedAnswerer(v, r)
	return fmt.Sprintf("%s asked %s: %s", r.Holder, to, schemas.Numbered(asked.Questions, " ")), err
}

// blockedReason names the first handoff that is waited for in vain. It reads the records of those that are waited for, up to
// that one.
func blockedReason(v *store.View, r *store.Record) (string, error) {
	for _, id := range r.After {
		before := RecordOrNil(v, id)
		switch {
		case before == nil || !before.Status.Ended():
		case before.Status == schemas.Completed && before.Reviewer != "":
			reason, err := pendingAcceptance(v, before)
			return fmt.Sprintf("%s: %s", id, reason), err
		case before.Status == schemas.Completed:
			to, err := Principal(v, before)
			return fmt.Sprintf("%s has not accepted %s, which is completed, %s", to, id, before.Outcome), err
		default:
			return fmt.Sprintf("%s, for which it waits, %s", id, endedWords[before.Status]), nil
		}
	}
	return "", nil
}

// pendingReason tells how a handoff that was held, or offered, became pending for others. Only the last event counts: after
// any other change it is history who had it.
func pendingReason(v *store.View, r *store.Record) (string, error) {
	e, err := v.Event(r.Event)
	if err != nil || e == nil {
		return "", err
	}
	switch life.Action(e.Action) { //nolint:exhaustive // after the others nobody has to know who held it
	case life.Requeue:
		return fmt.Sprintf("the lease of %s ended without a word", r.Holder), nil
	case life.Decline:
		return fmt.Sprintf("%s declined it: %s", e.Agent, EventText(v, *e)), nil
	case life.Release:
		s, err := contentOf(v, *e)
		if s.To != "" || err != nil {
			return fmt.Sprintf("%s passed it to %s", e.Agent, s.To), err
		}
		return fmt.Sprintf("%s gave it back", e.Agent), nil
	}
	return "", nil
}

// MaxReportBytes is how much of a report is shown beside other things, in bytes.
const MaxReportBytes = 300

// LastReport is the last report of a handoff, shortened and fit to be shown; empty where there is none.
func LastReport(v *store.View, r *store.Record) (string, error) {
	var u schemas.UpdateIn
	err := v.DecodeContent(r.ID, r.Note, &u)
	return schemas.Visible(schemas.Shorten(u.Note, MaxReportBytes)), err
}

// CompletionRefusal is why the last completion was refused of work that is held, where its holder reported nothing since.
func CompletionRefusal(v *store.View, r *store.Record) (string, error) {
	if !r.Status.Held() || r.Refused <= max(r.Note, r.Tree) {
		return "", nil
	}
	var why schemas.Refusal
	err := v.DecodeContent(r.ID, r.Refused, &why)
	return schemas.Visible(schemas.Shorten("its completion was refused: "+why.Note, MaxReportBytes)), err
}

// LastSign is when the holder of a handoff was heard of last, to the second; nil where nobody holds it.
func (rd Reader) LastSign(r *store.Record) *time.Time {
	if !r.Status.Held() {
		return nil
	}
	return new(rd.LastHeard(r).Truncate(time.Second))
}
