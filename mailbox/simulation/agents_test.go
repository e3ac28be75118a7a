package simulation_test

import (
	"encoding/json"
	"fmt"

	"handoff/schemas"
	"handoff/store"
)

// chooseCall returns the client's next call: mostly a sensible call, and now and then a random call.
func (l *world) chooseCall(c *client) any {
	switch n := l.rnd.IntN(100); {
	case n < 15 || len(l.seen.records) == 0:
		return l.newSend(c)
	case n < 34:
		return l.newWaitingClaim(c)
	case n < 36:
		return schemas.ListIn{Box: "notices"}
	case n < 39 && c.by.Agent != schemas.Human:
		accepts := []string{"task", "code", "review"}
		l.rnd.Shuffle(len(accepts), func(i, j int) { accepts[i], accepts[j] = accepts[j], accepts[i] })
		return c.card(accepts[:1+l.rnd.IntN(3)]...)
	case n < 41:
		return schemas.SendIn{To: l.anyAgent(), Task: "note", Type: schemas.TypeMessage}
	case n < 42:
		return schemas.UpdateIn{HandoffID: fmt.Sprintf("no_%d", 1+l.rnd.IntN(40)), Action: schemas.ActCancel}
	case n < 44:
		return schemas.GetIn{HandoffID: l.anyRecord().ID.String(), View: "outcome", WaitSeconds: 20}
	case n < 45 && c.by.Agent == schemas.Human:
		return schemas.RedactIn{HandoffID: l.anyRecord().ID.String()}
	case n < 50:
		return l.newCallOnHandoff(c, l.anyRecord(), l.rnd.IntN(14))
	}
	var may []any
	for _, id := range l.seen.order[max(0, len(l.seen.order)-40):] {
		if in := l.sensibleCall(c, l.seen.records[id]); in != nil {
			may = append(may, in)
		}
	}
	if len(may) == 0 {
		return nil
	}
	return pickOne(l, may)
}

// anyRecord returns one of the newest records.
func (l *world) anyRecord() *store.Record {
	newest := len(l.seen.order)
	return l.seen.records[l.seen.order[newest-1-l.rnd.IntN(min(newest, 15))]]
}

func (l *world) anyAgent() string {
	return pickOne(l, []string{"lead", "ann", "bob", "qa", string(schemas.Human)})
}

func (l *world) happensOnceIn(of int) bool { return l.rnd.IntN(of) == 0 }

// newSend is a handoff to be sent.
func (l *world) newSend(c *client) schemas.SendIn {
	in := schemas.SendIn{
		To:       pickOne(l, []string{"lead", "ann", "bob", "qa", "capability:code", "capability:code", "capability:review", "human"}),
		Task:     fmt.Sprintf("work %d", l.rnd.IntN(1000)),
		Priority: pickOne(l, schemas.Priorities),
		Parent:   pickOne(l, []string{"", "none"}),
		Deadline: pickOne(l, []string{"", "", "", "30m", "3h"}),
		Options: &schemas.SendOptions{
			Terms: schemas.Terms{NeedsApproval: l.happensOnceIn(12)}, Force: true, MaxAttempts: 1 + l.rnd.IntN(3),
			NotBefore: pickOne(l, []string{"", "", "", "1s", "5m"}),
		},
	}
	in.Options.NoTakers = pickOne(l, []string{"", "", "return", "generalist", "human"})
	if l.happensOnceIn(3) {
		in.Tags = []string{pickOne(l, []string{"go", "sql"})}
	}
	if l.happensOnceIn(6) {
		in.Key = fmt.Sprintf("key %d", l.rnd.IntN(20))
		in.Task = in.Key
	}
	if l.happensOnceIn(3) {
		in.Expectations = &schemas.Expectations{Review: pickOne(l, []string{"sender", "qa", "human", "capability:review"}), MaxRounds: 1 + l.rnd.IntN(2)}
		in.Options.Force = false
	}
	if l.happensOnceIn(4) {
		in.Options.Limits = map[string]float64{schemas.LimitHandoffs: float64(2 + l.rnd.IntN(4))}
	}
	if len(l.seen.order) > 0 && l.happensOnceIn(3) {
		for range 1 + l.rnd.IntN(2) {
			if id := l.anyRecord().ID.String(); l.happensOnceIn(2) {
				in.Options.After = append(in.Options.After, id)
			} else {
				in.Options.AfterAccepted = append(in.Options.AfterAccepted, id)
			}
		}
	}
	if l.happensOnceIn(8) {
		in.Options.Each = []string{"one", "two", "three"}
		in.Options.Join = &schemas.Join{To: l.anyAgent(), Task: "put it together"}
	}
	return in
}

// newWaitingClaim returns a claim of the next handoff.
func (l *world) newWaitingClaim(c *client) schemas.ClaimIn {
	in := schemas.ClaimIn{WaitSeconds: pickOne(l, []int{0, 20, 50, 50})}
	if l.happensOnceIn(4) {
		in.Tags = []string{pickOne(l, []string{"go", "sql"})}
	}
	return in
}

// sensibleCall returns a call that fits the state of a handoff, as far as the client knows the state, or nil if there
// is none.
func (l *world) sensibleCall(c *client, r *store.Record) any {
	me := c.by.Agent
	owns, holds := me == r.From || me == schemas.Human, me == r.Holder
	switch {
	case r.Status == schemas.Pending && r.NeedsApproval && me == schemas.Human:
		return l.newCallOnHandoff(c, r, pickOne(l, []int{0, 0, 0, 1}))
	case r.Status == schemas.Pending && owns && l.happensOnceIn(6):
		return l.newCallOnHandoff(c, r, 2+l.rnd.IntN(2))
	case r.Status == schemas.Pending && !r.IsBlocked() && l.happensOnceIn(3):
		if to, directed := r.To.SingleAgent(); !directed || to == me {
			return schemas.ClaimIn{HandoffID: r.ID.String()}
		}
	case r.Status == schemas.Waiting && owns:
		return l.newCallOnHandoff(c, r, 4)
	case r.Status.IsHeld() && holds:
		return l.newCallOnHandoff(c, r, pickOne(l, []int{5, 6, 7, 8, 8, 8, 8, 9, 9, 10}))
	case r.Status.IsHeld() && len(c.old[r.ID]) > 0: // the client lost an earlier claim of it
		return l.newCallOnHandoff(c, r, pickOne(l, []int{5, 8, 9}))
	case r.Status == schemas.Completed && owns && r.Accepted == 0:
		return l.newCallOnHandoff(c, r, pickOne(l, []int{11, 11, 12}))
	case r.Status.HasEnded() && r.Status != schemas.Completed && owns && r.Successor == 0 && l.happensOnceIn(3):
		return l.newCallOnHandoff(c, r, 13)
	}
	return nil
}

// newCallOnHandoff is one of the actions on a handoff.
func (l *world) newCallOnHandoff(c *client, r *store.Record, what int) any {
	actions := []schemas.Action{
		schemas.ActApprove, schemas.ActRefuse, schemas.ActAmend, schemas.ActCancel, schemas.ActAnswer, schemas.ActProgress, schemas.ActAsk,
		schemas.ActRelease, "complete", "fail", "reject", schemas.ActAccept, schemas.ActReturn, schemas.ActRetry,
	}
	id, token := r.ID.String(), l.chooseToken(c, r.ID)
	in := schemas.UpdateIn{HandoffID: id, Action: actions[what], Note: fmt.Sprintf("because %d", l.rnd.IntN(100))}
	switch in.Action { //nolint:exhaustive // the others need a note alone
	case "complete":
		return l.newCompletion(c, r, token)
	case "fail", "reject":
		return l.newFailure(r, in.Action, token)
	case schemas.ActProgress, schemas.ActAsk, schemas.ActRelease:
		in.Token = token
	case schemas.ActAmend:
		in.Changes = &schemas.Changes{Priority: pickOne(l, schemas.Priorities), Tags: []string{pickOne(l, []string{"go", "sql"})}}
		if l.happensOnceIn(2) {
			in.Changes.To = l.anyAgent()
		}
	}
	if in.Action == schemas.ActAsk && l.happensOnceIn(3) {
		in.Conditions = &schemas.Conditions{NeedsPermission: []string{"to deploy"}}
	}
	if in.Action == schemas.ActRelease && l.happensOnceIn(2) {
		in.To = l.anyAgent()
	}
	return in
}

// chooseToken returns the claim token that a client knows for a handoff, or "", or now and then the token of an earlier
// claim.
func (l *world) chooseToken(c *client, id schemas.ID) string {
	if old := c.old[id]; len(old) > 0 && l.happensOnceIn(3) {
		return pickOne(l, old)
	}
	if l.happensOnceIn(6) {
		return ""
	}
	return c.claims[id].token
}

func (l *world) newCompletion(c *client, r *store.Record, token string) schemas.CompleteIn {
	in := schemas.CompleteIn{HandoffID: r.ID.String(), Token: token, Result: schemas.Result{Summary: fmt.Sprintf("done %d", l.rnd.IntN(100))}}
	if l.happensOnceIn(4) {
		in.Outcome = schemas.Partial
	}
	if n := c.claims[r.ID].criteria; n > 0 {
		in.Verification = &schemas.Verification{}
		for i := range n {
			in.Verification.Criteria = append(in.Verification.Criteria, schemas.Criterion{Criterion: fmt.Sprint(i + 1), Met: true, Evidence: "seen"})
		}
	}
	if r.ReviewOf != 0 {
		in.Output, _ = json.Marshal(schemas.Verdict{Verdict: pickOne(l, []string{"accept", "rework", "rework"}), Points: []string{"mend it"}})
	}
	if l.happensOnceIn(6) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: l.anyAgent(), Task: "and then"}}
	}
	return in
}

func (l *world) newFailure(r *store.Record, how schemas.Action, token string) schemas.FailIn {
	in := schemas.FailIn{
		HandoffID: r.ID.String(), Token: token, FailureDetail: schemas.FailureDetail{Description: fmt.Sprintf("no %d", l.rnd.IntN(100))},
		Then: pickOne(l, []schemas.FailureContinuation{"", schemas.ThenRetry, schemas.ThenEscalate, schemas.ThenStop}),
	}
	if how == "reject" {
		in.Outcome, in.Then = schemas.OutcomeRejected, ""
		if l.happensOnceIn(2) {
			in.Alternative = l.anyAgent()
		}
	}
	return in
}
