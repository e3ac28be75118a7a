package reading

import (
	"cmp"
	"slices"

	"handoff/mailbox/brief"
	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// Limits on the earlier work that a brief reports.
const (
	maxEarlierEvents = 200 // events of the handoff
	maxReports       = 3
)

// earlierWork returns the work of earlier holders for the current one: the last holder and how its claim ended, and the
// last reports, newest first. It reads the events of the handoff; if the handoff replaces another, it reads the record
// of that one. For a first claim without reports it reads no event. An unreadable predecessor counts as none.
func earlierWork(v *store.View, r *store.Record) (before brief.PastClaim, reports []brief.Report, err error) {
	if r.Claims > 1 || r.Claims == 1 && r.Status == schemas.Pending || r.Note != 0 || len(r.Excluded) > 0 {
		if before, reports, err = fromEvents(v, r); err != nil {
			return before, nil, err
		}
	}
	if before.Agent == "" {
		before = predecessorSession(v, r)
	}
	return before, reports, nil
}

// fromEvents goes back through the events of a handoff. It skips the current claim, if there is one. The newest event
// before it says when and how the session before ended; the claim before that names its agent. It reads at most
// [maxEarlierEvents] events, with one read each, and does not report earlier sessions.
func fromEvents(v *store.View, r *store.Record) (before brief.PastClaim, reports []brief.Report, err error) {
	events, err := v.EventsOf(r, maxEarlierEvents)
	if err != nil {
		return before, nil, err
	}
	begun := !r.Status.Held() // the next events belong to a session that is over
	for _, e := range events {
		if isNote(e) && len(reports) < maxReports {
			var s eventContent
			if v.DecodeContent(r.ID, e.N, &s) == nil && s.Note+s.Failure.Description != "" { // else it was erased
				reports = append(reports, brief.Report{
					By: e.Agent, At: e.At, Percent: s.Percent, Text: cmp.Or(s.Note, "declined it: "+s.Failure.Description),
				})
			}
		}
		claimed := e.Action == "claimed" || e.Action == "reclaimed"
		switch {
		case !begun:
			begun = claimed
		case before.Agent != "":
		default:
			if end, tells := sessionSigns[e.Action]; tells && before.Until.IsZero() {
				before.Until, before.End = e.At, end
				if !e.Due.IsZero() {
					before.Until = e.Due
				}
			}
			if claimed {
				before.Agent = e.Agent
			}
		}
	}
	return before, reports, nil
}

// sessionSigns are the actions that show that a session still had its claim, each with how it ended the claim, or "".
// Other actions are no sign of the session: other agents amend, answer and approve.
var sessionSigns = map[string]string{
	"disconnected": "its connection ended", "lease_ended": "its lease ended", "released": "it was released",
	"declined": "it declined it",
	"claimed":  "", "reclaimed": "", "progress": "", "checkpoint": "", "asked": "",
}

// isNote tells whether an event keeps a holder's report, or the reason of a decline, for later readers.
func isNote(e schemas.Event) bool {
	return e.Bytes > 0 && slices.Contains([]string{"progress", "released", "declined"}, e.Action)
}

// predecessorSession returns the last session of the handoff that r replaces: the handoff that r retries, or the parent
// that was rolled back to r. It returns an empty session if no agent claimed that handoff. A returned parent does not
// count: its result is reported instead, see [results].
func predecessorSession(v *store.View, r *store.Record) (before brief.PastClaim) {
	id := r.RetryOf
	if id == 0 {
		if id = r.Parent; id == 0 {
			return before
		}
		if parent := RecordOrNil(v, id); parent == nil || parent.Successor != r.ID || parent.Status == schemas.Returned {
			return before
		}
	}
	if r := RecordOrNil(v, id); r != nil && r.Claims > 0 {
		return brief.PastClaim{Agent: r.Holder, Handoff: r.ID, Until: r.Ended.Time(), End: "it " + endedWords[r.Status], Late: len(r.Late)}
	}
	return before
}

// endedWords says in words how a handoff ended.
var endedWords = map[schemas.Status]string{
	schemas.Failed: "failed", schemas.TimedOut: "timed out", schemas.Cancelled: "was cancelled",
	schemas.Rejected: "was rejected", schemas.Completed: "was completed", schemas.Returned: "was returned",
}

// results returns the result of the handoff that r continues or does again, and then the results of r's dependencies,
// in the order of [dependencyIDs]. It skips handoffs without a result and results that cannot be read. It replaces a
// returned handoff by its rework, unless r is that rework and has to correct the result.
func results(v *store.View, h schemas.Handoff, r *store.Record) (all []brief.Result) {
	ids := dependencyIDs(v, h, r)
	if !slices.Contains(ids, r.Parent) {
		ids = append([]schemas.ID{r.Parent}, ids...)
	}
	for _, id := range ids {
		of := RecordOrNil(v, id)
		if id != r.Parent {
			of = LastRound(v, of)
		}
		if of == nil || of.Result == 0 || of.Status != schemas.Completed && of.Status != schemas.Returned {
			continue
		}
		told := brief.Result{Title: of.Title}
		if v.DecodeContent(of.ID, of.Result, &told.Completion) == nil && told.HandoffID != 0 { // else it was erased
			if seen, err := LaterSight(v, of); err == nil {
				contract.AddObservations(&told.Completion, seen)
			}
			all = append(all, told)
		}
	}
	return all
}

// dependencyIDs returns the open and former dependencies of r, in the order in which its sender named them. It replaces
// a handoff that was done again by its replacement. Dependencies without a name of the sender come last.
func dependencyIDs(v *store.View, h schemas.Handoff, r *store.Record) (ids []schemas.ID) {
	left := slices.Concat(r.After, r.Freed)
	for _, written := range slices.Concat(h.Metadata.After, h.Metadata.AfterAccepted) {
		named, err := Find(v, written, r.From)
		if err != nil || named == nil {
			continue
		}
		for of := range Chain(v, named.ID, func(r *store.Record) schemas.ID { return r.Successor }) {
			if at := slices.Index(left, of.ID); at >= 0 {
				ids, left = append(ids, of.ID), slices.Delete(left, at, at+1)
				break
			}
		}
	}
	return append(ids, left...)
}

// maxRecalled is how many earlier handoffs of a workflow are searched for decisions.
const maxRecalled = 50

// recalledDecisions returns decisions of earlier handoffs of the workflow, newest first, as many as the sender asked
// for. It skips decisions that the handoff itself has, and handoffs that cannot be read. The last decision of a handoff
// comes first. Only handoffs that were sent earlier count, so later sends change no brief.
func recalledDecisions(v *store.View, h *schemas.Handoff, r *store.Record) (all []brief.Recalled, err error) {
	said := map[string]bool{}
	for _, d := range schemas.OrZero(h.Context).Decisions {
		said[d.Decision] = true
	}
	for of, err := range Records(v, AtMost(maxRecalled, v.Newest(store.InWorkflow(r.Workflow), r.ID))) {
		if err != nil || len(all) >= h.Metadata.Recall {
			return all, err
		}
		var sent schemas.Handoff
		if v.DecodeContent(of.ID, of.Body, &sent) != nil {
			continue
		}
		for _, d := range slices.Backward(schemas.OrZero(sent.Context).Decisions) {
			if !said[d.Decision] && len(all) < h.Metadata.Recall {
				said[d.Decision] = true
				all = append(all, brief.Recalled{Of: of.ID, Decision: d})
			}
		}
	}
	return all, nil
}
