package offer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// registerReviewers returns present agents that take reviews; the first are better, by skills that a send names.
func registerReviewers(w *mailboxtest.World, names ...schemas.Agent) (team []schemas.Caller) {
	skills := []string{"go", "sql", "css", "html"}
	for i, name := range names {
		by := w.Stdio(name)
		mailboxtest.Must(w.T, w.Register, by, schemas.RegisterIn{Name: string(name), Accepts: []string{"review"}, Skills: skills[i:]})
		team = append(team, by)
	}
	return team
}

func withReviewTags(in *schemas.SendIn) { in.Tags = []string{"go", "sql", "css", "html"} }

func TestSend_TellsBestAgentOfPoolFirst(t *testing.T) {
	w := mailboxtest.New(t)
	team := registerReviewers(w, "one", "two", "three", "four")
	out := w.Sends(w.Stdio("a"), "capability:review", "x", withReviewTags)
	require.Equal(t, schemas.Agent("one"), out.Routed.Chosen)
	require.Equal(t, w.Now().Add(time.Minute), out.Routed.Until)
	require.Equal(t, schemas.RoutingCandidate{Agent: "one", Why: "accepts review, skills go sql css html, 0 open, connected"}, out.Routed.Candidates[0])
	for _, first := range team[:3] {
		require.Equal(t, 1, countClaimable(w, first.Agent))
		require.Zero(t, countClaimable(w, "four"))
		require.Equal(t, "Agent "+string(first.Agent)+" was told of ho_1 first: unless it takes it, you may in 1m0s.", w.Claims(team[3]).WaitingMail)
		mailboxtest.RequireRefusal(t, w.Claim, team[3], schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "is kept for "+string(first.Agent))
		w.Pass(time.Minute)
		mailboxtest.Must(t, w.Stats, schemas.Caller{}, schemas.StatsIn{}) // any call
	}
	for _, any := range team {
		require.Equal(t, 1, countClaimable(w, any.Agent))
	}
	require.Equal(t, schemas.ID(1), w.Claims(team[3]).HandoffID)
	require.Equal(t, []schemas.Agent{"one", "two", "three"}, agentsToldFirst(w, 1))
}

func TestClaim_RefusesAgentAtLimitThatWasToldFirst(t *testing.T) {
	w := mailboxtest.New(t)
	one := registerReviewers(w, "one")[0]
	w.Sends(w.Stdio("a"), "capability:review", "x")
	w.Sends(w.Stdio("a"), "one", "y")
	w.ClaimsID(one, 2)
	mailboxtest.Must(t, w.Register, one, schemas.RegisterIn{Name: "one", Accepts: []string{"tests"}, MaxOpen: 1})
	mailboxtest.RequireRefusal(t, w.Claim, one, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "takes 1 at most")
	require.Contains(t, w.Claims(one).WaitingMail, "You hold 1 and take 1 at most, so 1 that may be claimed is kept from you.")
	require.Contains(t, w.Sends(w.Stdio("a"), "one", "z").Warnings, "one holds 1 and said that it takes 1 at most")
	w.Updates(w.Stdio("a"), 1, schemas.ActCancel)
	w.Updates(w.Stdio("a"), 3, schemas.ActCancel)
	require.Empty(t, w.Claims(one).WaitingMail)
}

// agentsToldFirst returns the agents that were told first of a handoff, one after the other.
func agentsToldFirst(w *mailboxtest.World, id schemas.ID) (told []schemas.Agent) {
	require.NoError(w.T, w.Store.View(context.Background(), func(v *store.View) error {
		r, err := v.Record(id)
		require.NoError(w.T, err)
		told = r.Told
		events, err := v.EventsOf(r, 20)
		require.NoError(w.T, err)
		named := 0
		for _, e := range events {
			if e.For != "" {
				named++
			}
		}
		require.Equal(w.T, len(told), named, "events name them")
		return nil
	}))
	return told
}

func TestHandoff_TellsNextAgentAfterRejectionOrEndOfLease(t *testing.T) {
	w := mailboxtest.New(t)
	team := registerReviewers(w, "one", "two", "three")
	w.Sends(w.Stdio("a"), "capability:review", "x", withReviewTags)
	w.Fails(team[0], schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("not me"), Outcome: schemas.OutcomeRejected})
	require.Equal(t, 1, countClaimable(w, "two"))
	w.Claims(team[1])
	w.Leaves(team[1])
	w.Pass(time.Hour)
	require.Equal(t, schemas.ID(1), w.Claims(team[2]).HandoffID)
	require.Equal(t, []schemas.Agent{"one", "two", "three"}, agentsToldFirst(w, 1))
}

func TestSend_TellsNoBusyAbsentOrSendingAgentFirst(t *testing.T) {
	w := mailboxtest.New(t)
	team := registerReviewers(w, "one", "two", "three")
	w.Accepts("review", mailboxtest.RemoteCaller("far", "1"))
	w.Sends(mailboxtest.Human, "one", "first")
	w.Leaves(team[1])
	out := w.Sends(team[2], "capability:review", "x", withReviewTags)
	require.Empty(t, out.Routed.Chosen)
	require.Len(t, out.Routed.Candidates, 4)
	require.Equal(t, out.HandoffID, w.Claims(mailboxtest.RemoteCaller("far", "1")).HandoffID)
}

func TestClaim_WaitsLongerAfterEachFailedAttempt(t *testing.T) {
	w := mailboxtest.New(t)
	b := mailboxtest.RemoteCaller("b", "1")
	w.Sends(w.Stdio("a"), "b", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{MaxAttempts: 25} })
	for _, rest := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		ends := w.Claims(b).LeaseEnds.Sub(w.Now())
		w.Pass(ends + time.Second)
		require.True(t, w.Claims(b).Empty)
		w.Pass(rest - 2*time.Second)
		require.Equal(t, "ho_1 may be claimed in 1s.", w.Claims(b).WaitingMail)
		w.Pass(time.Second)
	}
	w.Claims(b)
	w.Pass(24 * time.Hour)
	require.Equal(t, 5, w.Claims(b).Attempt, "a rest counts from the end of the lease")
}
