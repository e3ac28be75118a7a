package mailbox

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// ExplainRefusal returns the error conflict for an action that the state of a handoff does not allow. The error
// names the successor of the handoff, or advises a next step, such as a claim. Callers without any right to the handoff
// get the same error, because every caller may read its state.
func (o *op) ExplainRefusal(a life.Action, r *store.Record) error {
	cannot := string(a)
	if a == life.Progress {
		cannot = "reported on"
	}
	e := operation.ConflictError(r, "%s is %s, so it cannot be %s", r.ID, r.Status, cannot)
	switch {
	case r.Status.HasEnded():
		return o.explainEndedState(e, a, r)
	case a == life.Accept || a == life.Return:
		return operation.ConflictError(r, "%s is not completed, so there is no result to judge", r.ID)
	case r.Status.IsHeld():
		return o.explainHeldState(e, a, r)
	}
	return e
}

// explainEndedState adds to the error e how the handoff r ended. If the caller may accept or return the result of r, it
// also advises that call.
func (o *op) explainEndedState(e *schemas.Error, a life.Action, r *store.Record) error {
	switch {
	case r.Successor != 0:
		return e.WithHint("%s", o.successorHint(r))
	case a == life.Cancel && r.Dismissed != 0:
		return e.WithHint("The action cancel was called before, so no agent will continue it.")
	case a == life.Accept && hasEndedBadly(r):
		return e.WithHint("There is no result to accept. The action cancel says that no agent will continue it.")
	case r.Status == schemas.Cancelled:
		return e.WithHint("%s", o.cancelReason(r))
	}
	return e
}

// explainHeldState adds to the error e that an agent holds r. It also advises a next step: for an amendment or an
// answer a message to the holder, for a claim the claim of another handoff, and for a rejection after work has begun, a
// failure or a release.
func (o *op) explainHeldState(e *schemas.Error, a life.Action, r *store.Record) error {
	switch {
	case (a == life.Amend || a == life.Answer) && r.Holder != o.By.Agent:
		return e.WithHint("%s holds it: tell it what is new.", r.Holder)
	case a == life.Claim:
		return e.WithHint("%s holds it.", r.Holder)
	case r.Status == schemas.Working && (a == life.Reject || a == life.Decline):
		return e.WithHint("Work has begun.")
	}
	return e
}

// successorHint names the successor of r and its recipient. It tells the caller to go on with the successor if the
// caller may work on the successor or sent r. Other callers should leave the work to the recipient.
func (o *op) successorHint(r *store.Record) string {
	next := reading.RecordOrNil(o.View, r.Successor)
	mine := r.From == o.By.Agent || next != nil && next.Holder == o.By.Agent
	if mine || next == nil || o.CheckCallerPart(life.Claim, life.Recipient, next) == nil {
		return fmt.Sprintf("%s took its place: go on with that one.", r.Successor)
	}
	return fmt.Sprintf("%s took its place, for %s: leave the work to that one.", r.Successor, cmp.Or(schemas.Address(next.Holder), next.To))
}

// cancelReason says which agent cancelled a handoff, and the noted reason. It looks for the cancel among the last nine
// events, because at most eight late results can follow a cancel, see [maxLateOutcomes]. If it does not find the
// cancel, it names the sender.
func (o *op) cancelReason(r *store.Record) string {
	by := string(r.From)
	events, _ := o.EventsOf(r, 1+maxLateOutcomes) // on an error the text names the sender
	for _, e := range events {
		if e.Action == string(life.Cancel) {
			by = string(e.Agent)
		}
	}
	why, err := reading.EndReason(o.View, r, nil)
	if err != nil || why == "" {
		return "It was cancelled by " + by + "."
	}
	return schemas.EscapeHidden(fmt.Sprintf("It was cancelled by %s: %s", by, schemas.Clip(why, 500)))
}

// ActionsNow lists the actions of package life that the caller may take now on the handoff with an id, and [life.Send]
// for open work that it sent. The list is nil if there is no such handoff. Other is the agent to whom the caller would
// speak about it: its holder, or else its sender or its recipient. Nothing is changed. Errors advise by these facts.
func (s *Service) ActionsNow(ctx context.Context, by schemas.Caller, id string) (may []string, other schemas.Agent) {
	_ = s.update(ctx, by, func(o *op) error {
		may = nil
		r, err := o.FindHandoff(id)
		if err != nil {
			return err
		}
		may = []string{} // not nil, even for a caller that may do nothing
		to, _ := r.To.SingleAgent()
		for _, a := range []schemas.Agent{to, r.From, r.Holder} { // the last one counts
			if a != "" && a != by.Agent {
				other = a
			}
		}
		for _, a := range life.Actions {
			decides := a == life.Approve || a == life.Refuse
			t, ok := life.TransitionFor(a, r.Status)
			if ok && (r.NeedsApproval || !decides) && o.CheckCallerPart(a, t.By, r) == nil {
				may = append(may, string(a))
			}
		}
		if r.From == by.Agent && !r.Status.HasEnded() {
			may = append(may, string(life.Send))
		}
		return errDryRun
	})
	return may, other
}

// messageAdvice advises a message to an agent.
func messageAdvice(a schemas.Agent) schemas.Advice {
	return schemas.AdviseCall(schemas.SendIn{To: string(a), Task: schemas.Blank, Type: schemas.TypeMessage}, "tells "+string(a))
}

// holderText has the calls of a holder. It explains itself.
//
//go:embed holder.txt
var holderText string

var holderCalls = sync.OnceValue(func() schemas.AdviceTable { return schemas.ReadAdviceTable(holderText) })

// holderAdvice advises an action of a holder, with its claim token. The token is "" if the call needs none. Arguments
// that only the caller knows are left blank.
func holderAdvice(a life.Action, h schemas.ID, token string) schemas.Advice {
	if token != "" {
		token = `,"claim_token":"` + token + `"`
	}
	advise := func(situation string) []schemas.Advice {
		return holderCalls().For(situation, "{id}", h.String(), "{token}", token)
	}
	return append(advise(string(a)), advise("other")...)[0]
}

// adviseForce adds to the error of a refused send that the sender may force the send. It adds no call that the client
// could copy, because work that is forced upon a mistyped name is lost.
func adviseForce(err error) error {
	e, coded := errors.AsType[*schemas.Error](err)
	if !coded || e.Field == reviewField || e.Code != schemas.NotFound && e.Code != schemas.Conflict {
		return err
	}
	return e.WithNext(schemas.Advice{Say: "To send it all the same, force it."})
}

// enumerateAgents lists agents in a sentence, twenty at most, and counts the agents that it leaves out.
func enumerateAgents(names []schemas.Agent) string {
	return schemas.JoinFirst(schemas.FormatAll(names), schemas.MaxNamed)
}
