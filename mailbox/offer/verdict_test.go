package offer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/offer"
	"handoff/mailbox/presence"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// withOffers runs a function over the current offers. It applies time before.
func withOffers(w *mailboxtest.World, do func(offer.Offers) error) {
	w.T.Helper()
	mailboxtest.Must(w.T, w.Stats, schemas.Caller{}, schemas.StatsIn{})
	here := sessions.Presence{Tracker: presence.NewTracker(), Now: w.Now, Started: mailboxtest.StartTime(), Alone: true}
	require.NoError(w.T, w.Store.View(context.Background(), func(v *store.View) error {
		return do(offer.Offers{View: v, Here: here})
	}))
}

// judgeClaim judges whether an agent may take a handoff.
func judgeClaim(w *mailboxtest.World, name schemas.Agent, id schemas.ID, asked offer.Reason) (v offer.Verdict) {
	w.T.Helper()
	withOffers(w, func(f offer.Offers) error {
		a, err := sessions.AgentOrNew(f.View, name)
		if err != nil {
			return err
		}
		r, err := f.Record(id)
		if err != nil {
			return err
		}
		v, err = f.JudgeClaim(a, r, asked)
		return err
	})
	return v
}

// TestJudgeClaim_ReturnsFirstReasonThatHolds judges handoff 1 for the agent qa, which is in capability:go and
// role:tester.
func TestJudgeClaim_ReturnsFirstReasonThatHolds(t *testing.T) {
	seen := offer.Reason(0)
	for _, c := range []struct {
		name    string
		arrange func(w *mailboxtest.World, boss, qa, other schemas.Caller)
		asked   offer.Reason
		reason  offer.Reason
		says    string // the refusal of a claim, or the warning of a send; "" if it is claimed
		code    schemas.Code
	}{
		{"of its name", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "qa", "x")
		}, offer.ClaimReasons, 0, "", ""},
		{"of its pool", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "capability:go", "x")
		}, offer.ClaimReasons, 0, "", ""},
		{"ended", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "qa", "x")
			w.Updates(boss, 1, schemas.ActCancel)
		}, offer.ClaimReasons, offer.Ended, "ho_1 is cancelled, so it cannot be claimed", schemas.Conflict},
		{"held", func(w *mailboxtest.World, boss, _, other schemas.Caller) {
			w.Accepts("go", other)
			w.Sends(boss, "capability:go", "x")
			w.ClaimsID(other, 1)
		}, offer.ClaimReasons, offer.Held, "other holds it.", schemas.Conflict},
		{"blocked by approval", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "qa", "x", mailboxtest.NeedsApproval)
		}, offer.ClaimReasons, offer.Blocked, "ho_1 waits for approval", schemas.Conflict},
		{"blocked by another", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "qa", "x")
			w.Sends(boss, "other", "y", withoutParent)
			w.Updates(boss, 1, schemas.ActAmend, func(in *schemas.UpdateIn) {
				in.Changes = &schemas.Changes{Options: &schemas.SendOptions{After: []string{"ho_2"}}}
			})
		}, offer.ClaimReasons, offer.Blocked, "ho_1 waits for ho_2", schemas.Conflict},
		{"early", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "qa", "x", func(in *schemas.SendIn) {
				in.Options = &schemas.SendOptions{NotBefore: "30s"}
			})
		}, offer.ClaimReasons, offer.TooEarly, "ho_1 may not be claimed before 2026-01-11T20:30:30Z", schemas.Conflict},
		{"full", func(w *mailboxtest.World, boss, qa, _ schemas.Caller) {
			w.Sends(boss, "capability:go", "x")
			w.Sends(boss, "qa", "y", withoutParent)
			w.ClaimsID(qa, 2)
		}, offer.ClaimReasons, offer.Full, "ho_1 is not offered to qa, which holds 1, and takes 1 at most", schemas.Conflict},
		{"full, but of its name", func(w *mailboxtest.World, boss, qa, _ schemas.Caller) {
			w.Sends(boss, "qa", "x")
			w.Sends(boss, "qa", "y", withoutParent)
			w.ClaimsID(qa, 2)
		}, offer.ClaimReasons, 0, "", ""},
		{"too long", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "capability:go", "x", func(in *schemas.SendIn) {
				in.Expectations = &schemas.Expectations{EstimatedDuration: "60m"}
			})
		}, offer.ClaimReasons, offer.TooLong, "qa, which works at most 30 min, the estimate is 60 min", schemas.Conflict},
		{"wrong type", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "role:tester", "x", func(in *schemas.SendIn) { in.Type = "audit" })
		}, offer.ClaimReasons, offer.WrongType, "qa, which does not accept audit", schemas.Conflict},
		{"unskilled", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "role:tester", "x", func(in *schemas.SendIn) {
				in.Options = &schemas.SendOptions{Terms: schemas.Terms{Requires: []string{"cobol", "rust"}}}
			})
		}, offer.ClaimReasons, offer.Unskilled, "qa, which has no skill of cobol, rust", schemas.Conflict},
		{"another produces it", func(w *mailboxtest.World, boss, qa, other schemas.Caller) {
			mailboxtest.Must(w.T, w.Register, qa, schemas.RegisterIn{Name: "qa", Produces: []string{"report"}})
			mailboxtest.Must(w.T, w.Register, other, schemas.RegisterIn{Name: "other", Role: "tester", Produces: []string{"bug_fix"}})
			w.Sends(boss, "role:tester", "x", asksForFix)
		}, offer.ClaimReasons, offer.WrongProduct, "ho_1 is not offered to qa, which produces no Bug fix", schemas.Conflict},
		{"declined", func(w *mailboxtest.World, boss, qa, other schemas.Caller) {
			w.Accepts("go", other)
			w.Sends(boss, "capability:go", "x")
			w.Pass(time.Minute) // other was told of it first
			w.Fails(qa, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: mailboxtest.FailureBecause("no")})
		}, offer.ClaimReasons, offer.Declined, "ho_1 was not claimed: qa declined it", schemas.Denied},
		{"for another", func(w *mailboxtest.World, boss, _, _ schemas.Caller) {
			w.Sends(boss, "other", "x")
		}, offer.ClaimReasons, offer.NotRecipient, "ho_1 was not claimed: only its recipient (other) may do this, and you are qa", schemas.Denied},
		{"kept for another", func(w *mailboxtest.World, boss, _, other schemas.Caller) {
			mailboxtest.Must(w.T, w.Register, other, schemas.RegisterIn{Name: "other", Accepts: []string{"go"}, Skills: []string{"sql"}})
			w.Sends(boss, "capability:go", "x", func(in *schemas.SendIn) { in.Tags = []string{"sql"} })
		}, offer.ClaimReasons, offer.Reserved, "ho_1 is kept for other for another 61 s", schemas.Conflict},
		{"away", func(w *mailboxtest.World, boss, qa, _ schemas.Caller) {
			mailboxtest.Must(w.T, w.Register, qa, schemas.RegisterIn{Name: "qa", Away: true})
			require.Contains(w.T, w.Sends(boss, "qa", "x").Warnings, "qa is away")
		}, offer.PresentMemberReasons, offer.Away, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, boss, qa, other := mailboxtest.NewWithThreeAgents(t, "boss", "qa", "other")
			mailboxtest.Must(t, w.Register, qa, schemas.RegisterIn{
				Name: "qa", Accepts: []string{"go"}, Role: "tester", MaxOpen: 1, MaxMinutes: 30,
			})
			c.arrange(w, boss, qa, other)
			require.Equal(t, c.reason, judgeClaim(w, "qa", 1, c.asked).Reason)
			if seen |= c.reason; c.says == "" {
				w.ClaimsID(qa, 1)
				return
			}
			mailboxtest.RequireRefusal(t, w.Claim, qa, schemas.ClaimIn{HandoffID: "1"}, c.code, c.says)
		})
	}
	require.Equal(t, offer.Reserved<<1-1, seen, "each reason has a case")
}

func TestJudgeClaim_ExcludesAuthorFromReview(t *testing.T) {
	w, boss, qa, other := mailboxtest.NewWithThreeAgents(t, "boss", "qa", "other")
	w.Accepts("go", qa, other)
	w.Assigns(boss, qa, "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Review: "capability:go"} })
	w.Completes(qa, 1)
	v := judgeClaim(w, "qa", 2, offer.ClaimReasons)
	require.Equal(t, offer.Declined, v.Reason)
	require.True(t, v.DidReviewedWork)
	const says = "ho_2 was not claimed: qa delivered ho_1, and another reviews that"
	mailboxtest.RequireRefusal(t, w.Claim, qa, schemas.ClaimIn{HandoffID: "2"}, schemas.Denied, says)
	w.ClaimsID(other, 2)
}

func asksForFix(in *schemas.SendIn) {
	in.Expectations = &schemas.Expectations{Deliverables: []schemas.Deliverable{{Type: "Bug fix"}}}
}

func withoutParent(in *schemas.SendIn) { in.Parent = "none" }

// codes are the error codes of claims by id.
var codes = map[offer.Reason]schemas.Code{
	offer.Ended: schemas.Conflict, offer.Held: schemas.Conflict, offer.Blocked: schemas.Conflict, offer.TooEarly: schemas.Conflict,
	offer.Full: schemas.Conflict, offer.TooLong: schemas.Conflict, offer.WrongType: schemas.Conflict, offer.Unskilled: schemas.Conflict,
	offer.WrongProduct: schemas.Conflict, offer.Reserved: schemas.Conflict,
	offer.Declined: schemas.Denied, offer.NotRecipient: schemas.Denied,
}

// After any history, a claim by id is accepted or refused as the verdict says, and the next claim takes the first
// handoff of the queue.
func TestJudgeClaim_AgreesWithClaim(t *testing.T) {
	seen := offer.Reason(0)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newRandomWorld(t, seed)
			for range 12 {
				for range 8 {
					s.step()
				}
				seen |= s.requireRefusalsAsJudged()
				s.requireClaimsAsJudged()
			}
		})
	}
	require.Equal(t, offer.ClaimReasons, seen, "each reason came up")
}

// randomWorld is a workspace with a random number of agents, each with limits of its own.
type randomWorld struct {
	*mailboxtest.World
	*rand.Rand
	boss schemas.Caller
	team []schemas.Caller
	sent schemas.ID
}

func newRandomWorld(t *testing.T, seed uint64) *randomWorld {
	s := &randomWorld{World: mailboxtest.New(t), Rand: rand.New(rand.NewPCG(seed, 1))}
	s.boss = s.Stdio("boss")
	for _, card := range []schemas.RegisterIn{
		{Name: "one", MaxOpen: 1, Accepts: []string{"go"}},
		{Name: "short", MaxMinutes: 10, Accepts: []string{"go"}, Role: "tester", Produces: []string{"report"}},
		{Name: "any", Accepts: []string{"go", "audit"}, Role: "tester", Produces: []string{"bug_fix"}},
		{Name: "other", MaxOpen: 2, Accepts: []string{"sql"}},
	} {
		by := s.Stdio(schemas.Agent(card.Name))
		mailboxtest.Must(t, s.Register, by, card)
		s.team = append(s.team, by)
	}
	return s
}

func pickOne[T any](s *randomWorld, of ...T) T { return of[s.IntN(len(of))] }

// step does one random action. A refused action changes nothing.
func (s *randomWorld) step() {
	ctx, by, id := context.Background(), pickOne(s, s.team...), schemas.ID(1+s.IntN(int(s.sent)+1))
	named := schemas.UpdateIn{HandoffID: id.String(), Note: "x"}
	switch s.IntN(8) {
	case 0, 1, 2:
		in := schemas.SendIn{To: pickOne(s, "capability:go", "role:tester", "one", "other"), Task: "x", Parent: "none", Options: &schemas.SendOptions{}}
		in.Type, in.Expectations = pickOne(s, "", "audit", "go"), &schemas.Expectations{EstimatedDuration: pickOne(s, "", "60m")}
		if s.IntN(4) == 0 {
			asksForFix(&in)
		}
		in.Options.NeedsApproval, in.Options.NotBefore = s.IntN(8) == 0, pickOne(s, "", "", "", "2m")
		in.Options.Requires = pickOne(s, nil, nil, nil, []string{"cobol"})
		if out, err := s.Send(ctx, s.boss, in); err == nil {
			s.sent = max(s.sent, out.HandoffID)
		}
	case 3:
		_, _ = s.Claim(ctx, by, schemas.ClaimIn{})
	case 4:
		_, _ = s.Fail(ctx, by, schemas.FailIn{HandoffID: id.String(), Outcome: schemas.OutcomeRejected, FailureDetail: mailboxtest.FailureBecause("no")})
	case 5:
		named.Action = pickOne(s, schemas.ActRelease, schemas.ActAsk)
		_, _ = s.Update(ctx, by, named)
	case 6:
		named.Action = pickOne(s, schemas.ActAnswer, schemas.ActCancel)
		_, _ = s.Update(ctx, s.boss, named)
	case 7:
		s.Pass(pickOne(s, 20*time.Second, time.Minute))
	}
}

// requireRefusalsAsJudged makes each agent claim all handoffs that its verdict bars, and returns the reasons of these
// verdicts.
func (s *randomWorld) requireRefusalsAsJudged() (seen offer.Reason) {
	s.T.Helper()
	for _, by := range s.team {
		for id := range s.sent {
			v := judgeClaim(s.World, by.Agent, id+1, offer.ClaimReasons)
			if v.Reason != 0 && v.Record.Holder != by.Agent {
				seen |= v.Reason
				_, err := s.Claim(context.Background(), by, schemas.ClaimIn{HandoffID: (id + 1).String()})
				require.Error(s.T, err, "%s claims %s: %b", by.Agent, id+1, v.Reason)
				require.Equal(s.T, codes[v.Reason], schemas.AsError(err).Code, "%v: %b", err, v.Reason)
			}
		}
	}
	return seen
}

// requireClaimsAsJudged makes an agent claim by id a handoff that its verdict allows, and then the first of its queue.
func (s *randomWorld) requireClaimsAsJudged() {
	s.T.Helper()
	by := pickOne(s, s.team...)
	queued := s.queue(by.Agent)
	for _, r := range queued {
		require.Zero(s.T, judgeClaim(s.World, by.Agent, r, offer.ClaimReasons).Reason)
	}
	if len(queued) > 0 {
		require.Equal(s.T, queued[0], s.Claims(by).HandoffID)
	}
	if queued = s.queue(by.Agent); len(queued) > 0 {
		s.ClaimsID(by, pickOne(s, queued...))
	}
}

// queue returns the handoffs that an agent claims next, in order.
func (s *randomWorld) queue(name schemas.Agent) (ids []schemas.ID) {
	s.T.Helper()
	withOffers(s.World, func(f offer.Offers) error {
		a, err := sessions.AgentOrNew(f.View, name)
		if err != nil {
			return err
		}
		read := func(id schemas.ID) *store.Record { r, _ := f.Record(id); return r }
		for r, err := range f.Queue(a, nil, read) {
			if err != nil {
				return err
			}
			if r != nil {
				ids = append(ids, r.ID)
			}
		}
		return nil
	})
	return slices.Clip(ids)
}
