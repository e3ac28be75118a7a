package offer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/offer"
	"handoff/schemas"
	"handoff/store"
)

func TestRankCandidates_NamesReasonOfEachExcludedAgent(t *testing.T) {
	accepts := []string{"code"}
	cards := []schemas.Card{
		{Name: "busy", Accepts: accepts, MaxOpen: 3, Held: 3},
		{Name: "away", Accepts: accepts, Away: true, MaxOpen: 1, Held: 1, MaxMinutes: 30},
		{Name: "short", Accepts: accepts, MaxMinutes: 30},
		{Name: "fits", Accepts: accepts, MaxMinutes: 90, MaxOpen: 3, Pending: 2, Held: 2, Live: true},
		{Name: "other", Accepts: []string{"specification"}},
		{Name: "stranger"},
	}
	_, routed := offer.Offers{}.RankCandidates(cards, &store.Record{To: "capability:code", Estimate: int((90 * time.Minute).Minutes())})
	require.Equal(t, []schemas.RoutingCandidate{{Agent: "fits", Why: "accepts code, 4 open, connected"}}, routed.Candidates)
	require.Equal(t, []schemas.RoutingCandidate{
		{Agent: "away", Why: "away"},
		{Agent: "busy", Why: "holds 3, at most 3"},
		{Agent: "short", Why: "works at most 30 min, the estimate is 90 min"},
	}, routed.Excluded)
}

func TestRankCandidates_OfRoleExcludesAgentRefusingType(t *testing.T) {
	cards := []schemas.Card{
		{Name: "BlueLake", Role: "testing", Accepts: []string{"test_request"}},
		{Name: "GreenHill", Role: "testing", Accepts: []string{"validation"}},
		{Name: "GreyRock", Role: "fixing"},
	}
	ranked, routed := offer.Offers{}.RankCandidates(cards, &store.Record{To: "role:testing", Type: "test_request"})
	require.Len(t, ranked, 1)
	require.Equal(t, schemas.Agent("BlueLake"), routed.Candidates[0].Agent)
	require.Equal(t, []schemas.RoutingCandidate{{Agent: "GreenHill", Why: "does not accept test_request"}}, routed.Excluded)
}

func TestRankCandidates_IncludesGeneralistsOnlyIfSenderAllows(t *testing.T) {
	cards := []schemas.Card{
		{Name: "jack", Accepts: []string{"*"}, Live: true},
		{Name: "full", Accepts: []string{"*"}, MaxOpen: 1, Held: 1},
		{Name: "qa", Accepts: []string{"code"}, Pending: 9},
	}
	_, routed := offer.Offers{}.RankCandidates(cards, &store.Record{To: "capability:code"})
	require.Equal(t, &schemas.RoutingResult{Candidates: []schemas.RoutingCandidate{{Agent: "qa", Why: "accepts code, 9 open, not connected"}}}, routed)
	_, routed = offer.Offers{}.RankCandidates(cards, &store.Record{To: "capability:code", NoTakers: "generalist"})
	require.Equal(t, []schemas.RoutingCandidate{
		{Agent: "qa", Why: "accepts code, 9 open, not connected"},
		{Agent: "jack", Why: "accepts anything, 0 open, connected"},
	}, routed.Candidates)
	require.Equal(t, []schemas.RoutingCandidate{{Agent: "full", Why: "holds 1, at most 1"}}, routed.Excluded)
}

func TestRankCandidates_NamesAtMostFiveAgents(t *testing.T) {
	cards := make([]schemas.Card, 14)
	for i := range cards {
		cards[i] = schemas.Card{Name: schemas.Agent('a' + rune(i)), Accepts: []string{"code"}, Away: i%2 == 0}
	}
	ranked, routed := offer.Offers{}.RankCandidates(cards, &store.Record{To: "capability:code"})
	require.Len(t, ranked, 7)
	require.Len(t, routed.Candidates, 5)
	require.Len(t, routed.Excluded, 5)
}
