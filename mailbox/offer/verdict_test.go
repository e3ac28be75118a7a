package offer_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/offer"
	"handoff/mailbox/presence"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// judgeClaim judges whether an agent may take a handoff. It applies time before.
func judgeClaim(w *mailboxtest.World, name schemas.Agent, id schemas.ID, asked offer.Reason) (v offer.Verdict) {
	w.T.Helper()
	mailboxtest.Must(w.T, w.Stats, schemas.Caller{}, schemas.StatsIn{})
	here := sessions.Presence{Tracker: presence.NewTracker(), Now: w.Now, Started: mailboxtest.StartTime(), Alone: true}
	require.NoError(w.T, w.Store.View(context.Background(), func(view *store.View) error {
		a, err := sessions.AgentOrNew(view, name)
		if err != nil {
			return err
		}
		r, err := view.Record(id)
		if err != nil {
			return err
		}
		v, err = offer.Offers{View: view, Here: here}.JudgeClaim(a, r, asked)
		return err
	}))
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
		{"no agent produces it", func(w *mailboxtest.World, boss, qa, _ schemas.Caller) {
			mailboxtest.Must(w.T, w.Register, qa, schemas.RegisterIn{Name: "qa", Produces: []string{"report"}})
			w.Sends(boss, "role:tester", "x", asksForFix)
		}, offer.ClaimReasons, 0, "", ""},
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
