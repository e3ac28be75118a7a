package reading

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/store"
)

// StateReason explains the state of a handoff: why it ended, which questions are open and which agent has to answer,
// whether the holder's connection is gone, or which dependency will not be completed. It returns "" if the name of the
// state says enough. The text contains words of agents unchanged, so callers shorten the text and replace invisible
// characters.
func (rd Reader) StateReason(v *store.View, r *store.Record) (string, error) {
	switch {
	case r.FileAwaitingPermission() != "":
		return PermissionReason(r.FileAwaitingPermission()), nil
	case r.Status.HasEnded():
		var got schemas.GetOut
		if err := AddOutcome(v, r, &got); err != nil {
			return "", err
		}
		return EndReason(v, r, got.Failure)
	case r.Status == schemas.Waiting:
		return questionReason(v, r)
	case r.Status.IsHeld() && rd.IsConnectionGone(r):
		return fmt.Sprintf("the connection of %s ended", r.Holder), nil
	case len(r.After) > 0:
		return blockedReason(v, r)
	case r.Status == schemas.Pending && (r.Claims > 0 || len(r.Excluded) > 0):
		return pendingReason(v, r)
	}
	return "", nil
}

// NoFile replaces the file name for a workflow whose step is in no file of the project now, for example after the
// checkout of another branch.
const NoFile = "no file"

// PermissionReason returns the sentence for a workflow that waits until a person permits the rules of the file. If file
// is [NoFile], the workflow waits until a file has the step again.
func PermissionReason(file string) string {
	if file == NoFile {
		return "the next step waits until a file declares this step again; handoff cancel ends the wait"
	}
	return "the next step waits until a person allows the rules of " + schemas.EscapeHidden(file) + ": handoff allow"
}

// questionReason returns a sentence with the questions of a holder and the agent that has to answer.
func questionReason(v *store.View, r *store.Record) (string, error) {
	var asked schemas.UpdateIn
	if err := v.DecodeContent(r.ID, r.Ask, &asked); err != nil {
		return "", err
	}
	to, err := AwaitedAnswerer(v, r)
	return fmt.Sprintf("%s asked %s: %s", r.Holder, to, schemas.JoinNumbered(asked.Questions, " ")), err
}

// blockedReason returns a sentence about the first dependency that will not be completed, or "" if there is no such
// dependency.
func blockedReason(v *store.View, r *store.Record) (string, error) {
	for _, id := range r.After {
		before := RecordOrNil(v, id)
		switch {
		case before == nil || !before.Status.HasEnded():
		case before.Status == schemas.Completed && before.Reviewer != "":
			reason, err := acceptanceReason(v, before)
			return fmt.Sprintf("%s: %s", id, reason), err
		case before.Status == schemas.Completed:
			to, err := AgentToNotify(v, before)
			return fmt.Sprintf("%s has not accepted %s, which is completed, %s", to, id, before.Outcome), err
		default:
			return fmt.Sprintf("%s, for which it waits, %s", id, endedWords[before.Status]), nil
		}
	}
	return "", nil
}

// ClaimEnd returns the event that ended the last claim of a pending handoff, or with which an agent declined it. It
// passes over events that do not continue the work, such as the end of the delay before the next offer. It returns nil
// after any other event, because the former holder no longer matters then.
func ClaimEnd(v *store.View, r *store.Record) (*schemas.Event, error) {
	for n := r.Event; n != 0; {
		e, err := v.Event(n)
		if e == nil || err != nil || e.Before >= n {
			return nil, err
		}
		switch life.Action(e.Action) { //nolint:exhaustive // after the others the former holder does not matter
		case life.Ready, life.Renew, life.Message, life.Amend, life.Rebase, life.Unreserve:
			n = e.Before
		case life.Requeue, life.Decline, life.Release:
			return e, nil
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// pendingReason says how a claimed or declined handoff became pending again.
func pendingReason(v *store.View, r *store.Record) (string, error) {
	e, err := ClaimEnd(v, r)
	if err != nil || e == nil {
		return "", err
	}
	switch life.Action(e.Action) { //nolint:exhaustive // [ClaimEnd] returns no others
	case life.Requeue:
		return leaseEndReason(v, r, e.Due), nil
	case life.Release:
		s, err := readEventContent(v, *e)
		if s.To != "" || err != nil {
			return fmt.Sprintf("%s passed it to %s", e.Agent, s.To), err
		}
		return fmt.Sprintf("%s gave it back", e.Agent), nil
	}
	return fmt.Sprintf("%s declined it: %s", e.Agent, EventText(v, *e)), nil
}

// leaseEndReason says that the lease of the last holder ended, and how long before that the holder reported last.
func leaseEndReason(v *store.View, r *store.Record, end time.Time) string {
	if refused := RefusalBeforeSilence(v, r); refused != "" {
		return fmt.Sprintf("its %s, and the lease of %s ended", refused, r.Holder)
	}
	events, err := v.EventsOf(r, maxHistoryEvents)
	for _, e := range events {
		if life.Action(e.Action) == life.Progress && e.Agent == r.Holder && e.Attempt == r.Attempt {
			return fmt.Sprintf("the lease of %s ended, %s after its last report", r.Holder, display.FormatDuration(end.Sub(e.At)))
		}
	}
	if err != nil || len(events) == maxHistoryEvents {
		return fmt.Sprintf("the lease of %s ended", r.Holder)
	}
	return fmt.Sprintf("the lease of %s ended, and %s reported nothing", r.Holder, r.Holder)
}

// MaxReportBytes is the maximum length in bytes of a report in a text with other facts.
const MaxReportBytes = 300

// LastReport returns the last report of a handoff's holders, shortened and with invisible characters replaced. It
// returns "" if no holder reported.
func LastReport(v *store.View, r *store.Record) (string, error) {
	var u schemas.UpdateIn
	err := v.DecodeContent(r.ID, r.Note, &u)
	return schemas.EscapeHidden(schemas.Shorten(u.Note, MaxReportBytes)), err
}

// CompletionRefusalReason says why the last completion of a held handoff was refused. It returns "" if no completion
// was refused, or if the holder has reported since.
func CompletionRefusalReason(v *store.View, r *store.Record) (string, error) {
	if !r.Status.IsHeld() {
		return "", nil
	}
	why, err := LastRefusal(v, r)
	if why.Note == "" {
		return "", err
	}
	return schemas.EscapeHidden(schemas.Shorten("its completion was refused: "+why.Note, MaxReportBytes)), err
}

// RefusalBeforeSilence says in a few words that the last completion of a handoff was refused, and that its holder did
// nothing since. It returns "" if that is not so, or cannot be read.
func RefusalBeforeSilence(v *store.View, r *store.Record) string {
	why, _ := LastRefusal(v, r)
	if why.Note == "" {
		return ""
	}
	short := strings.Join(schemas.Map(why.Failed, func(o schemas.Observation) string { return o.Check }), ", ")
	return fmt.Sprintf("completion was refused (%s), then silence", cmp.Or(short, schemas.EscapeHidden(schemas.Shorten(why.Note, 80))))
}

// LastRefusal returns the refusal of the last completion by the last holder. It is zero if the holder has reported
// since.
func LastRefusal(v *store.View, r *store.Record) (why schemas.CompletionRefusal, err error) {
	if r.Refused <= max(r.Note, r.Tree) {
		return why, nil
	}
	e, err := v.Event(r.Refused)
	if err != nil || e == nil || e.Attempt != r.Attempt || e.Agent != r.Holder {
		return why, err
	}
	return why, v.DecodeContent(r.ID, r.Refused, &why)
}

// LastSignOfLife returns when the holder of a handoff last made a call about the handoff, to the second. It returns nil
// if the handoff has no holder.
func (rd Reader) LastSignOfLife(r *store.Record) *time.Time {
	if !r.Status.IsHeld() {
		return nil
	}
	return new(rd.LastHeard(r).Truncate(time.Second))
}
