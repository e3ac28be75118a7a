package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// reviewers are agents that are here and take reviews; the first are better, by skills that a send names.
func reviewers(w *world, names ...schemas.Agent) (team []schemas.Caller) {
	skills := []string{"go", "sql", "css", "html"}
	for i, name := range names {
		by := w.Stdio(name)
		mailboxtest.Must(w.t, w.Register, by, schemas.RegisterIn{Name: string(name), Accepts: []string{"review"}, Skills: skills[i:]})
		team = append(team, by)
	}
	return team
}

func forReview(in *schemas.SendIn) { in.Tags = []string{"go", "sql", "css", "html"} }

func TestTheBestOfAPoolIsToldFirstAndTheNextAfterAMinute(t *testing.T) {
	w := newWorld(t)
	team := reviewers(w, "one", "two", "three", "four")
	out := w.Sends(w.Stdio("a"), "capability:review", "x", forReview)
	require.Equal(t, schemas.Agent("one"), out.Routed.Chosen)
	require.Equal(t, w.Now().Add(time.Minute), out.Routed.Until)
	require.Equal(t, schemas.Candidate{Agent: "one", Why: "accepts review, skills go sql css html, 0 open, connected"}, out.Routed.Candidates[0])
	for _, first := range team[:3] {
		require.Equal(t, 1, w.claimable(first.Agent))
		require.Zero(t, w.claimable("four"))
		require.Equal(t, "Agent "+string(first.Agent)+" was told of ho_1 first: unless it takes it, you may in 1m0s.", w.Claims(team[3]).Waits)
		mailboxtest.Refuses(t, w.Claim, team[3], schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "is kept for "+string(first.Agent))
		w.Pass(time.Minute)
		mailboxtest.Must(t, w.Stats, schemas.Caller{}, schemas.StatsIn{}) // somebody calls
	}
	for _, any := range team {
		require.Equal(t, 1, w.claimable(any.Agent))
	}
	require.Equal(t, schemas.ID(1), w.Claims(team[3]).HandoffID)
	require.Equal(t, []schemas.Agent{"one", "two", "three"}, w.toldFirst(1))
}

func TestWhoIsToldFirstTakesNoMoreThanItSaidAlsoIfItAcceptsOtherWorkByNow(t *testing.T) {
	w := newWorld(t)
	one := reviewers(w, "one")[0]
	w.Sends(w.Stdio("a"), "capability:review", "x")
	w.Sends(w.Stdio("a"), "one", "y")
	w.ClaimsID(one, 2)
	mailboxtest.Must(t, w.Register, one, schemas.RegisterIn{Name: "one", Accepts: []string{"tests"}, MaxOpen: 1})
	mailboxtest.Refuses(t, w.Claim, one, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "takes 1 at most")
}

// toldFirst are the agents who were told of a handoff first, one after the other.
func (w *world) toldFirst(id schemas.ID) (told []schemas.Agent) {
	require.NoError(w.t, w.Store.View(context.Background(), func(v *store.View) error {
		r, err := v.Record(id)
		require.NoError(w.t, err)
		told = r.Told
		events, err := v.EventsOf(r, 20)
		require.NoError(w.t, err)
		named := 0
		for _, e := range events {
			if e.For != "" {
				named++
			}
		}
		require.Equal(w.t, len(told), named, "events name them")
		return nil
	}))
	return told
}

func TestTheNextIsToldWhenOneRejectsOrItsLeaseEnds(t *testing.T) {
	w := newWorld(t)
	team := reviewers(w, "one", "two", "three")
	w.Sends(w.Stdio("a"), "capability:review", "x", forReview)
	w.Fails(team[0], rejecting(1))
	require.Equal(t, 1, w.claimable("two"))
	w.Claims(team[1])
	w.Leaves(team[1])
	w.Pass(time.Hour)
	require.Equal(t, schemas.ID(1), w.Claims(team[2]).HandoffID)
	require.Equal(t, []schemas.Agent{"one", "two", "three"}, w.toldFirst(1))
}

func TestNobodyIsToldFirstWhoIsBusyOrNotHereOrHasSentIt(t *testing.T) {
	w := newWorld(t)
	team := reviewers(w, "one", "two", "three")
	w.Accepts("review", remote("far", "1"))
	w.Sends(person, "one", "first")
	w.Leaves(team[1])
	out := w.Sends(team[2], "capability:review", "x", forReview)
	require.Empty(t, out.Routed.Chosen)
	require.Len(t, out.Routed.Candidates, 4)
	require.Equal(t, out.HandoffID, w.Claims(remote("far", "1")).HandoffID)
}

func TestWhoWaitsForWorkIsToldBeforeOthersLikeIt(t *testing.T) {
	bubble(t, backends["memory"], func(w *waits) {
		w.Accepts("review", w.Stdio("a"), w.Stdio("b"), remote("c", ""))
		w.wait(remote("c", "1"), schemas.ClaimIn{})
		out := w.Sends(person, "capability:review", "x")
		require.Equal(w.t, schemas.Agent("c"), out.Routed.Chosen)
		require.Equal(w.t, "accepts review, 0 open, waits for work", out.Routed.Candidates[0].Why)
	})
}

func TestWorkRestsLongerAfterEachAttempt(t *testing.T) {
	w := newWorld(t)
	b := remote("b", "1")
	w.Sends(w.Stdio("a"), "b", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{MaxAttempts: 25} })
	for _, rest := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		ends := w.Claims(b).LeaseEnds.Sub(w.Now())
		w.Pass(ends + time.Second)
		require.True(t, w.Claims(b).Empty)
		w.Pass(rest - 2*time.Second)
		require.Equal(t, "ho_1 may be claimed in 1s.", w.Claims(b).Waits)
		w.Pass(time.Second)
	}
	w.Claims(b)
	w.Pass(24 * time.Hour)
	require.Equal(t, 5, w.Claims(b).Attempt, "a rest counts from the end of the lease")
}

// instead rejects a handoff and names who could do it.
func instead(id schemas.ID, other string) schemas.FailIn {
	in := rejecting(id)
	in.Alternative = other
	return in
}

func TestARejectionGoesOnToTheAgentItNames(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Accepts("code", c)
	w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Type = "code" })
	w.Sends(a, "c", "after it", afterwards("1"))
	out := w.Fails(b, instead(1, "c"))
	require.Equal(t, schemas.Rejected, out.Status)
	require.Equal(t, schemas.Address("c"), out.To)
	require.Equal(t, out.RollbackHandoff, w.Fails(b, instead(1, "c")).RollbackHandoff, "a repeat")
	require.Equal(t, []string{out.RollbackHandoff.String()}, w.Full(2).Standing.BlockedBy)
	require.Equal(t, []string{"rejected"}, w.Kinds(a, 1))
	require.Contains(t, w.Claims(c).Brief, "ho_1 rejected: not me")
	require.Equal(t, schemas.Agent("a"), w.Full(out.RollbackHandoff).Handoff.Source.Agent)

	again := w.Fails(c, instead(out.RollbackHandoff, "b"))
	require.Zero(t, again.RollbackHandoff, "b has rejected it")
	require.Equal(t, schemas.Rejected, w.Status(out.RollbackHandoff))
}

func TestWhoIsNamedByADeclineIsNotToldBeforeItsTime(t *testing.T) {
	w, b, c := newPair(t, "b", "c")
	w.Accepts("review", b, c)
	w.Sends(person, "capability:review", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "1h"} })
	w.Fails(b, instead(1, "c"))
	require.True(t, w.Claims(c).Empty)
	mailboxtest.Refuses(t, w.Claim, c, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "may not be claimed before")
	w.Pass(time.Hour)
	require.Equal(t, schemas.ID(1), w.Claims(c).HandoffID)
}

func TestARejectionGoesNowhereByItselfWhereTheNamedOneMayNotDoIt(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Accepts("docs", c)
	w.Stdio("gone")
	mailboxtest.Must(t, w.Register, w.Stdio("away"), schemas.RegisterIn{Name: "away", Away: true})
	for i, other := range []string{"a", "b", "c", "away", "nobody", "human"} {
		id := w.Sends(a, "b", other, func(in *schemas.SendIn) { in.Type, in.Parent = "code", "none" }).HandoffID
		require.Equal(t, schemas.ID(i+1), id)
		require.Zero(t, w.Fails(b, instead(id, other)).RollbackHandoff, other)
		require.Equal(t, schemas.Rejected, w.Status(id))
	}
}
