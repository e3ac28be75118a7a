package reading

import (
	"cmp"
	"slices"

	"handoff/mailbox/brief"
	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// How far back a brief looks for what earlier holders left.
const (
	maxEarlierEvents = 200 // events of the handoff
	maxReports       = 3
)

// earlierWork is what those who had the work before left for its holder: who had it last and how that claim ended, and the
// last reports, newest first. The events of the handoff tell it; of a handoff that takes the place of another, the
// record of that one. Whoever holds the first claim and reported nothing has nobody before it, and no event is read. A
// predecessor that cannot be read is told as nobody.
func earlierWork(v *store.View, r *store.Record) (before brief.Session, reports []brief.Report, err error) {
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

// fromEvents goes back through the events of a handoff. The claim of now, if there is one, is passed over: the newest
// event before it says until when, and how the session before it ended; the claim before that says whose it was. It
// reads at most [maxEarlierEvents] events, one read each; who had the work further back is not told.
func fromEvents(v *store.View, r *store.Record) (before brief.Session, reports []brief.Report, err error) {
	events, err := v.EventsOf(r, maxEarlierEvents)
	if err != nil {
		return before, nil, err
	}
	begun := !r.Status.Held() // the events that come now are of a session that is over
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

// sessionSigns are the actions that tell until when a session had a claim, with how it lost the claim, if that is what the
// action tells. An action that is missing is no sign of the session: others amend, answer and approve.
var sessionSigns = map[string]string{
	"disconnected": "its connection ended", "lease_ended": "its lease ended", "released": "it was released",
	"declined": "it declined it",
	"claimed":  "", "reclaimed": "", "progress": "", "checkpoint": "", "asked": "",
}

// isNote tells whether an event keeps what a holder reported, or why one declined, for whoever reads on.
func isNote(e schemas.Event) bool {
	return e.Bytes > 0 && slices.Contains([]string{"progress", "released", "declined"}, e.Action)
}

// predecessorSession is who had the handoff that r takes the place of: the one that it retries, or that was rolled back to
// its receiver. Where nobody claimed that one there is none. A parent that was returned is none: its result is told
// instead, see [results].
func predecessorSession(v *store.View, r *store.Record) (before brief.Session) {
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
		return brief.Session{Agent: r.Holder, Handoff: r.ID, Until: r.Ended.Time(), End: "it " + endedWords[r.Status], Late: len(r.Late)}
	}
	return before
}

// endedWords is what became of a handoff that ended, as what it did or what was done to it.
var endedWords = map[schemas.Status]string{
	schemas.Failed: "failed", schemas.TimedOut: "timed out", schemas.Cancelled: "was cancelled",
	schemas.Rejected: "was rejected", schemas.Completed: "was completed", schemas.Returned: "was returned",
}

// results are what was handed in for the handoff that r continues or does again, and then for those that r waited for,
// in the order of [dependencyIDs]. Those that did not end with a result have none, and one that cannot be read is passed
// over. In the place of a returned one stands its rework, except for that rework itself, which is to mend the result.
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
				contract.See(&told.Completion, seen)
			}
			all = append(all, told)
		}
	}
	return all
}

// dependencyIDs are the handoffs for whose outcomes r waits or waited, in the order in which its sender named them. In the
// place of one that was done again stands the handoff that took its place. What the sender's names do not lead to
// comes last.
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

// maxRecalled is how many earlier handoffs of a workflow are looked at for what they decided.
const maxRecalled = 50

// recalledDecisions is what earlier handoffs of the workflow decided, the newest first, as many decisions as the sender asked
// for. What the handoff says itself is left out, and so is what cannot be read. Of one handoff its last decision comes
// first. Only handoffs that were sent earlier count, so sending others later changes no brief.
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
