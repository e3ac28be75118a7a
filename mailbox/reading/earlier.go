package reading

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"handoff/mailbox/brief"
	"handoff/mailbox/contract"
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Limits on the earlier work that a brief reports.
const (
	maxEarlierEvents = 200 // events of the handoff
	maxReports       = 3
)

// earlierWork returns facts about earlier holders for the brief of the current holder: the last claim, and the last
// reports, newest first. It reads these facts from the events of the handoff. If r replaces another handoff, it reads
// the last claim from the record of the replaced handoff, and leaves the claim out if that record cannot be read. A
// claim of the session that now goes on after an answer is no earlier work, nor is a claim that ended with a rejection
// before any report.
func earlierWork(v *store.View, r *store.Record) (before brief.PastClaim, reports []brief.HolderReport, err error) {
	if r.Claims > 1 || r.Claims == 1 && r.Status == schemas.Pending || r.Note != 0 || len(r.Excluded) > 0 {
		events, err := v.EventsOf(r, maxEarlierEvents)
		if err != nil {
			return before, nil, err
		}
		before, reports = lastClaim(r, events), lastReports(v, r, events)
	}
	if before.Agent == "" {
		before = lastClaimOfPredecessor(v, r)
	}
	return before, reports, nil
}

// lastClaim finds the last claim before the current claim in the events of a handoff, newest first. The newest event
// before the current claim says when and how the last claim ended. The event of that claim names the agent.
func lastClaim(r *store.Record, events []schemas.Event) (before brief.PastClaim) {
	begun := !r.Status.IsHeld() // the next events belong to a session that is over
	declined := schemas.Agent("")
	for _, e := range events {
		claimed := slices.Contains([]string{"claimed", "reclaimed"}, e.Action)
		if !begun {
			begun = claimed
			continue
		}
		end, tells := holderActions[e.Action]
		if tells && before.Until.IsZero() {
			before.Until, before.End = e.At, end
			if !e.Due.IsZero() {
				before.Until = e.Due
			}
		}
		switch {
		case e.Action == "declined":
			declined = e.Agent
		case end != "" || e.Action == "progress":
			declined = ""
		case claimed && (e.Agent == declined || before.End == "" && e.Agent == r.Holder && e.AgentID == r.HolderID): // look for the claim before it
			before, declined = brief.PastClaim{}, ""
		case claimed:
			before.Agent = e.Agent
			return before
		}
	}
	return before
}

// lastReports returns the last reports of holders in the events of a handoff, newest first.
func lastReports(v *store.View, r *store.Record, events []schemas.Event) (reports []brief.HolderReport) {
	for _, e := range events {
		var s eventContent
		if isHolderReport(e) && len(reports) < maxReports &&
			v.DecodeContent(r.ID, e.N, &s) == nil && s.Note+s.Failure.Description != "" { // else it was erased
			reports = append(reports, brief.HolderReport{
				By: e.Agent, At: e.At, Percent: s.Percent, Text: cmp.Or(s.Note, "declined it: "+s.Failure.Description),
			})
		}
	}
	return reports
}

// SilentAttempts returns a text for each attempt of r that ended because its holder went silent, except the last one,
// whose end is the end of r. The texts name the holder and the time.
func SilentAttempts(v *store.View, r *store.Record) (texts []string, err error) {
	events, err := v.EventsOf(r, maxEarlierEvents)
	holder := schemas.Agent("an agent")
	for _, e := range slices.Backward(events) {
		switch life.Action(e.Action) { //nolint:exhaustive // the others begin or end no attempt
		case life.Claim, life.Reclaim:
			holder = e.Agent
		case life.Requeue:
			texts = append(texts, fmt.Sprintf("%s attempt %d (%s, %s): its lease ended", r.ID, e.Attempt, holder, e.Due.UTC().Format(time.RFC3339)))
		}
	}
	return texts, err
}

// questionsToHuman returns a text for each handoff that an earlier holder of r sent to human as a part of r, because
// the current holder needs the answer, too. It looks at the first hundred parts, and leaves out reviews and cancelled
// ones.
func questionsToHuman(v *store.View, r *store.Record) (texts []string, err error) {
	if r.Claims < 2 {
		return nil, nil
	}
	for part, err := range ReadableRecords(v, AtMost(100, v.OldestFirst(store.IndexByParent(r.ID), 0))) {
		if err != nil {
			return nil, err
		}
		if part.To == schemas.Address(schemas.Human) && part.From != r.From && part.ReviewOf == 0 && part.Status != schemas.Cancelled {
			texts = append(texts, fmt.Sprintf("%s asked human with %s (%s), which is %s", part.From, part.ID, part.Title, part.Status))
		}
	}
	return texts, nil
}

// holderActions lists the actions that only a holder or the end of its claim causes. The value is the text about the
// end of the claim, or "" if the claim went on after the action. Actions of other agents, such as amended or answered,
// are not in the list.
var holderActions = map[string]string{
	"disconnected": "its connection ended", "lease_ended": "its lease ended", "released": "it was released",
	"declined": "it declined it",
	"claimed":  "", "reclaimed": "", "located": "", "progress": "", "checkpoint": "", "asked": "",
}

// isHolderReport reports whether the content of an event is a holder's report, or the reason of an agent that declined.
func isHolderReport(e schemas.Event) bool {
	return e.Bytes > 0 && slices.Contains([]string{"progress", "released", "declined"}, e.Action)
}

// lastClaimOfPredecessor returns the last claim of the handoff that r replaces: the handoff that r retries, or the
// parent whose failure created r. It returns an empty value if no agent claimed that handoff. For the rework of a
// returned parent the value is empty, too, because the brief shows the parent's result instead.
func lastClaimOfPredecessor(v *store.View, r *store.Record) (before brief.PastClaim) {
	id := r.RetryOf
	if id == 0 {
		if id = r.Parent; id == 0 {
			return before
		}
		if parent := RecordOrNil(v, id); parent == nil || parent.Successor != r.ID || parent.Status == schemas.Returned {
			return before
		}
	}
	if r := RecordOrNil(v, id); r != nil && r.Claims > 0 && (r.Status != schemas.Rejected || r.Claims > 1 || r.Note+r.Checkpoint > 0) {
		return brief.PastClaim{Agent: r.Holder, Handoff: r.ID, Until: r.Ended.Time(), End: "it " + endedWords[r.Status], Late: len(r.Late)}
	}
	return before
}

// endedWords says in words how a handoff ended.
var endedWords = map[schemas.Status]string{
	schemas.Failed: "failed", schemas.TimedOut: "timed out", schemas.Cancelled: "was cancelled",
	schemas.Rejected: "was rejected", schemas.Completed: "was completed", schemas.Returned: "was returned",
}

// earlierResults returns the result of the handoff that r continues or does again, and then the results of r's
// dependencies, in the order of [dependencyIDs]. It skips handoffs without a readable result. For a returned handoff it
// returns the result of the rework, unless r itself is the rework: then r has to correct the returned result.
func earlierResults(v *store.View, h schemas.Handoff, r *store.Record) (all []brief.EarlierResult) {
	ids := dependencyIDs(v, h, r)
	if !slices.Contains(ids, r.Parent) {
		ids = append([]schemas.ID{r.Parent}, ids...)
	}
	for _, id := range ids {
		of := RecordOrNil(v, id)
		if id != r.Parent {
			of = NewestRework(v, of)
		}
		if told, ok := readResult(v, of); ok {
			all = append(all, told)
		}
	}
	return all
}

// HolderContextKey is the key in the state of a checkpoint for the context that a holder left for later work.
const HolderContextKey = "agent_context"

// HolderContext returns the context that the holders of a handoff left for later work, or nil if there is none.
func HolderContext(v *store.View, r *store.Record) map[string]any {
	last, _ := LastCheckpoint(v, r) // nil or without a state with an error
	context, _ := schemas.ValueOrZero(last).State[HolderContextKey].(map[string]any)
	return context
}

// readResult returns the result of a handoff with the later observations and the context that its holder left. It
// returns false for a handoff without a result that can be read.
func readResult(v *store.View, of *store.Record) (told brief.EarlierResult, ok bool) {
	if of == nil || of.Result == 0 || of.Status != schemas.Completed && of.Status != schemas.Returned {
		return told, false
	}
	told.Title = of.Title
	if v.DecodeContent(of.ID, of.Result, &told.Completion) != nil || told.HandoffID == 0 { // it was erased
		return told, false
	}
	if seen, err := LaterObservations(v, of); err == nil {
		contract.AddObservations(&told.Completion, seen)
	}
	told.Result = told.AsRead()
	for name, value := range HolderContext(v, of) {
		told.Results[name] = cmp.Or(told.Results[name], value)
	}
	return told, true
}

// isWorkOfRule reports whether a rule of a file sent r, or sent the ended parent whose place r takes.
func isWorkOfRule(v *store.View, r *store.Record) bool {
	parent := schemas.ValueOrZero(RecordOrNil(v, r.Parent))
	return r.Rule != "" || r.Step || parent.Successor == r.ID && (parent.Rule != "" || parent.Step)
}

// addEarlierProduct adds to the results for the brief of r the newest result of the chain that names a branch or files,
// unless one of them does. If no result names them, it adds the oldest one. The step before r may only judge the work,
// as a test does, and then r needs the work itself.
func addEarlierProduct(v *store.View, r *store.Record, shown []brief.EarlierResult) (all []brief.EarlierResult) {
	all = shown
	for of := range Chain(v, r.Parent, ParentID) {
		if slices.ContainsFunc(all, brief.EarlierResult.NamesWork) {
			break
		}
		if told, ok := readResult(v, of); ok && of.ID != r.Parent {
			all = append(slices.Clone(shown), told)
		}
	}
	return all
}

// dependencyIDs returns the ids of all handoffs on which r depends or depended, in the order in which the sender of r
// named them. A dependency that was done again is replaced by its newer handoff. Dependencies that the sender did not
// name come last.
func dependencyIDs(v *store.View, h schemas.Handoff, r *store.Record) (ids []schemas.ID) {
	left := slices.Concat(r.After, r.Freed)
	for _, written := range slices.Concat(h.Metadata.After, h.Metadata.AfterAccepted) {
		named, err := FindHandoff(v, written, r.From)
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
