package mailbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/overview"
	"handoff/schemas"
)

// Random sends, registrations and rejections: each open handoff that is not blocked can be claimed by an agent by its
// id, or its sender was told and the overview has the reason. Another seed is another sequence.
func TestRouting_OpenWorkIsClaimableOrSenderIsTold(t *testing.T) {
	stuck := 0
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := &player{world: newWorld(t), rnd: rand.New(rand.NewPCG(seed, 6)), t: t, warned: map[schemas.ID]string{}}
			for _, name := range []schemas.Agent{"lead", "dev", "qa", "sec"} {
				p.team = append(p.team, p.Stdio(name))
			}
			for range 40 {
				p.randomStep()
			}
			p.Pass(2 * overview.Patience) // after it no handoff is reserved for one agent of a pool, and the overview waits for none
			stuck += p.countUnclaimable()
		})
	}
	require.Greater(t, stuck, 60, "sequences lead to work that nobody takes")
}

// player makes random calls of agents.
type player struct {
	*world
	rnd    *rand.Rand
	t      *testing.T
	team   []schemas.Caller
	sent   []schemas.ID
	warned map[schemas.ID]string // the warnings about each handoff to its sender
}

func oneOf[T any](p *player, from ...T) T { return from[p.rnd.IntN(len(from))] }

func (p *player) randomAddress() string {
	return oneOf(p, "dev", "agent:dev", "@qa", "Agent: sec", "nobody-yet", "the user", "user", "human", "role:developer", "role:qa",
		"role: ops", "capability:code", "capability:review", "Capability:docs", "role:dev", "ops", "all", "me", "agent:all", "team:qa", "agent:system")
}

func (p *player) randomSkills() []string {
	return oneOf(p, nil, []string{"code"}, []string{"review"}, []string{"code", "docs"}, []string{"*"})
}

func (p *player) randomStep() {
	ctx, by := context.Background(), oneOf(p, p.team...)
	id := schemas.ID(1 + p.rnd.IntN(len(p.sent)+3)).String()
	switch p.rnd.IntN(12) {
	case 0, 1, 2, 3:
		p.sends(by)
	case 4, 5:
		_, _ = p.Register(ctx, by, schemas.RegisterIn{
			Name: string(by.Agent), Accepts: p.randomSkills(), Role: oneOf(p, "", "developer", "qa", "ops"), Away: p.rnd.IntN(4) == 0,
			MaxMinutes: oneOf(p, 0, 0, 10),
		})
	case 6:
		if took, err := p.Claim(ctx, by, schemas.ClaimIn{}); err == nil && took.HandoffID != 0 && p.rnd.IntN(3) > 0 {
			p.endsHandoff(by, took.HandoffID.String())
		}
	case 7:
		p.endsHandoff(by, id)
	case 8:
		p.updates(by, schemas.UpdateIn{HandoffID: id, Action: oneOf(p, schemas.ActRelease, schemas.ActAmend), To: p.randomAddress()})
	case 9:
		p.updates(by, schemas.UpdateIn{HandoffID: id, Action: oneOf(p, schemas.ActRetry, schemas.ActCancel, schemas.ActReturn, schemas.ActAccept), Note: "again"})
	case 10:
		_, _ = p.Fail(ctx, by, schemas.FailIn{
			HandoffID: id, FailureDetail: because("not mine"), Outcome: schemas.OutcomeRejected, Alternative: oneOf(p, "", "dev", "agent:qa"),
		})
	case 11:
		p.Pass(oneOf(p, time.Minute, 20*time.Minute))
	}
}

// sends sends work with a random recipient, a random reviewer and a random agent for a rollback.
func (p *player) sends(by schemas.Caller) {
	in := schemas.SendIn{
		To: p.randomAddress(), Task: fmt.Sprint("task ", len(p.sent)), Type: oneOf(p, "", "code", "review", "docs"), Parent: "none",
		Options: &schemas.SendOptions{Terms: schemas.Terms{NoTakers: oneOf(p, "", "", "wait", "return", "human", "generalist")}, Force: p.rnd.IntN(4) == 0},
		Expectations: &schemas.Expectations{
			Review: oneOf(p, "", "", "", "sender", p.randomAddress(), "role:developer"), EstimatedDuration: oneOf(p, "", "30m"),
		},
		Rollback: &schemas.Rollback{OnFailure: schemas.Agent(oneOf(p, "", "", "agent:qa", "user", "nobody-yet"))},
	}
	if len(p.sent) > 0 && p.rnd.IntN(4) == 0 {
		in.Options.After = []string{oneOf(p, p.sent...).String()}
	}
	if out, err := p.Send(context.Background(), by, in); err == nil {
		p.sent = append(p.sent, out.HandoffID)
		p.warned[out.HandoffID] += strings.Join(out.Warnings, " ")
	}
}

// endsHandoff ends a held handoff, with or without more work for others.
func (p *player) endsHandoff(by schemas.Caller, id string) {
	ctx := context.Background()
	if p.rnd.IntN(2) == 0 {
		_, _ = p.Fail(ctx, by, schemas.FailIn{
			HandoffID: id, FailureDetail: because("broken"),
			Then: oneOf(p, "", schemas.ThenRetry, schemas.ThenEscalate, schemas.ThenRollback), RollbackTo: oneOf(p, "", "", "agent:lead"),
		})
		return
	}
	in := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "done"}}
	if p.rnd.IntN(3) == 0 {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: p.randomAddress(), Task: "next"}}
	}
	if p.rnd.IntN(3) == 0 { // where it is a review
		in.Output = []byte(`{"verdict":"accept"}`)
	}
	if out, err := p.Complete(ctx, by, in); err == nil && out.Forwarded != nil {
		p.warned[out.Forwarded.HandoffID] += strings.Join(out.Forwarded.Warnings, " ")
	}
}

func (p *player) updates(by schemas.Caller, in schemas.UpdateIn) {
	out, err := p.Update(context.Background(), by, in)
	if err == nil {
		p.warned[out.HandoffID] += strings.Join(out.Warnings, " ")
	}
}

// countUnclaimable checks each claimable handoff, and counts the handoffs that no agent takes.
func (p *player) countUnclaimable() (stuck int) {
	ctx := context.Background()
	out, err := p.List(ctx, person, schemas.ListIn{Box: "all", Status: schemas.StatusFilter(schemas.Pending), Limit: 50})
	require.NoError(p.t, err)
	left := slices.DeleteFunc(out.Items, func(it schemas.ListItem) bool {
		return len(it.BlockedBy) > 0 || it.NotBefore != nil || p.isClaimable(it)
	})
	for _, it := range left {
		p.requireSenderTold(it)
	}
	return len(left)
}

// isClaimable reports whether a handoff is for human, or an agent can claim it by its id.
func (p *player) isClaimable(it schemas.ListItem) bool {
	if it.To == schemas.Address(schemas.Human) {
		return true
	}
	agents := mailboxtest.Must(p.t, p.Agents, person, schemas.AgentsIn{})
	for _, card := range agents.Agents {
		by := schemas.Caller{Agent: card.Name, Via: schemas.ViaCLI}
		if card.Away {
			continue // an away agent takes no work
		}
		if _, err := p.Claim(context.Background(), by, schemas.ClaimIn{HandoffID: it.HandoffID.String()}); err == nil {
			return true
		}
	}
	return false
}

// requireSenderTold fails the test unless the sender of a handoff was told that no agent takes it, and the overview
// says so.
func (p *player) requireSenderTold(it schemas.ListItem) {
	seen := mailboxtest.Must(p.t, p.Overview, person, schemas.OverviewIn{Limit: 100})
	says := slices.ContainsFunc(seen.Stuck.Items, func(c schemas.OverviewEntry) bool {
		return c.To == it.To && strings.Contains(c.Reason, "nobody") || c.HandoffID == it.HandoffID
	})
	require.True(p.t, says, "the overview says why nobody takes %s for %s: %v", it.HandoffID, it.To, seen)
	if it.To == schemas.Address(it.From) {
		return // it knows that it is away
	}
	owner := schemas.Caller{Agent: it.From, Via: schemas.ViaCLI}
	if it.From == schemas.System {
		owner.Agent = schemas.Human
	}
	for _, n := range p.Notices(owner) {
		if n.HandoffID == it.HandoffID && strings.Contains(n.Text, "obody") {
			return
		}
	}
	require.Contains(p.t, p.warned[it.HandoffID], "nobody", "%s was told that nobody takes %s for %s", it.From, it.HandoffID, it.To)
}
