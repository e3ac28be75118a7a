package keeping_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// fillWorkspace fills a workspace with random actions, and with one row of each kind that a workspace stores. The last
// action is a claim. It returns the newest token of each claimed handoff.
func fillWorkspace(w *mailboxtest.World, seed uint64) map[schemas.ID]string {
	c := newRandomActor(w, seed)
	for range 250 {
		c.doRandomAction()
	}
	a, qa, ciso := c.agents[1], c.agents[3], c.agents[4]
	w.Sends(a, "qa", "remember <canary> & \u2028", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", Content: "of <ho_1>\x01"}}}
		in.Key, in.Workflow = "once", "release"
	})
	first := w.Sends(a, "ciso", "canary of ho_1", func(in *schemas.SendIn) { in.Workflow = "release" }).HandoffID
	w.Sends(qa, "ciso", "after "+first.String(), mailboxtest.After(first.String()), mailboxtest.NoParent)
	w.Sends(a, "qa", "look at "+first.String(), mailboxtest.Message)
	gone := w.Sends(a, "ciso", "canary secret", mailboxtest.NoParent, func(in *schemas.SendIn) { in.Detail = "redact me" }).HandoffID
	mailboxtest.Must(w.T, w.Redact, mailboxtest.Human, schemas.RedactIn{HandoffID: gone.String()})
	c.claim(ciso, "")
	return c.tokens
}

// randomActor has agents do random things, sensible or not. It ignores refusals.
type randomActor struct {
	*mailboxtest.World
	*rand.Rand
	agents []schemas.Caller
	tokens map[schemas.ID]string // the newest token of each handoff
	claims []claim
	last   schemas.ID // the last sent handoff
}

type claim struct {
	by schemas.Caller
	id schemas.ID
}

func newRandomActor(w *mailboxtest.World, seed uint64) *randomActor {
	c := &randomActor{World: w, Rand: rand.New(rand.NewPCG(seed, 7)), agents: []schemas.Caller{mailboxtest.Human}, tokens: map[schemas.ID]string{}}
	for _, name := range []schemas.Agent{"architect", "auto-code", "qa", "ciso"} {
		c.agents = append(c.agents, w.Stdio(name))
	}
	c.agents = append(c.agents, mailboxtest.RemoteCaller("remote", "1"))
	w.Accepts("*", c.agents[3], c.agents[5])
	return c
}

func pickOne[T any](c *randomActor, from ...T) T { return from[c.IntN(len(from))] }

func (c *randomActor) doRandomAction() {
	by, id := pickOne(c, c.agents...), schemas.ID(1+c.IntN(int(c.last)+3)).String()
	conn := schemas.ConnIn{Conn: by.Conn}
	n := c.IntN(20)
	if n >= 10 && len(c.claims) > 0 && c.IntN(2) == 0 {
		held := pickOne(c, c.claims...)
		by, id = held.by, held.id.String()
	}
	switch {
	case n < 4:
		c.send(by)
	case n == 4:
		c.Pass(time.Duration(c.IntN(40)) * time.Minute)
	case n == 5 && by.Conn != "":
		mailboxtest.Must(c.T, c.Detach, by, conn)
	case n == 6 && by.Conn != "":
		mailboxtest.Must(c.T, c.Attach, by, conn)
	case n < 10:
		c.claim(by, pickOne(c, "", "", "", id))
	case n < 13:
		c.complete(by, id)
	case n < 15:
		c.fail(by, id)
	default:
		c.update(by, id)
	}
}

func (c *randomActor) send(by schemas.Caller) {
	in := schemas.SendIn{
		To:       pickOne(c, "architect", "auto-code", "qa", "ciso", "remote", "human", "capability:review"),
		Task:     fmt.Sprintf("task %d", c.IntN(1000)),
		Priority: pickOne(c, schemas.Priorities...),
		Deadline: pickOne(c, "", "", "", "20m", "3h"),
		Parent:   pickOne(c, "", "none"),
		Type:     pickOne(c, "", "task", "message"),
		Options: &schemas.SendOptions{
			Terms: schemas.Terms{NeedsApproval: c.IntN(8) == 0}, Force: true,
			NotBefore: pickOne(c, "", "", "", "10m"),
			Limits:    pickOne(c, nil, nil, map[string]float64{"workflow_handoffs": 4}, map[string]float64{"cost_usd": 1, "minutes": 50}),
		},
	}
	if c.last != 0 && c.IntN(6) == 0 {
		in.Options.After = []string{schemas.ID(1 + c.IntN(int(c.last))).String()}
	}
	if in.Type == "" && c.IntN(3) == 0 {
		in.Expectations = &schemas.Expectations{Review: pickOne(c, "sender", "qa", "human"), MaxRounds: 1 + c.IntN(3)}
	}
	if out, err := c.Send(c.T.Context(), by, in); err == nil {
		c.last = max(c.last, out.HandoffID)
	}
}

func (c *randomActor) claim(by schemas.Caller, id string) {
	if out, err := c.Claim(c.T.Context(), by, schemas.ClaimIn{HandoffID: id}); err == nil && !out.Empty {
		c.tokens[out.HandoffID], c.last = out.Token, max(c.last, out.HandoffID)
		c.claims = append(c.claims, claim{by, out.HandoffID})
	}
}

func (c *randomActor) complete(by schemas.Caller, id string) {
	in := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{
		Summary: "done", Results: map[string]any{"cost_usd": float64(c.IntN(9)) / 10},
	}}
	in.Output, _ = json.Marshal(schemas.Verdict{Verdict: pickOne(c, "accept", "rework"), Points: []string{"more"}})
	if c.IntN(3) == 0 {
		in.Continuation = &schemas.Continuation{SendIn: mailboxtest.RuleSend("qa", "and then")}
	}
	_, _ = c.Complete(c.T.Context(), by, in)
}

func (c *randomActor) fail(by schemas.Caller, id string) {
	in := schemas.FailIn{
		HandoffID: id, FailureDetail: mailboxtest.FailureBecause(fmt.Sprint("no ", c.IntN(1000))),
		Outcome: pickOne(c, schemas.OutcomeFailed, schemas.OutcomeRejected),
		Then:    pickOne(c, "", schemas.ThenRetry, schemas.ThenEscalate, schemas.ThenStop),
	}
	in.PartialProgress = pickOne(c, nil, &schemas.PartialProgress{Completed: []string{"half"}})
	_, _ = c.Fail(c.T.Context(), by, in)
}

func (c *randomActor) update(by schemas.Caller, id string) {
	in := schemas.UpdateIn{HandoffID: id, Action: pickOne(c, schemas.Actions...), Note: "because"}
	switch in.Action { //nolint:exhaustive // the others need nothing
	case schemas.ActAmend:
		in.Changes = &schemas.Changes{Title: "changed", Tags: []string{"x"}, Priority: pickOne(c, schemas.Priorities...)}
	case schemas.ActRelease:
		in.To = pickOne(c, "", "ciso")
	case schemas.ActAsk:
		in.Conditions = pickOne(c, nil, &schemas.Conditions{NeedsPermission: []string{"to deploy"}})
	}
	_, _ = c.Update(c.T.Context(), by, in)
}
