package roster_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/roster"
	"handoff/schemas"
)

var noon = time.Date(2026, 1, 11, 12, 0, 0, 0, time.UTC)

func names(list []*schemas.Card) []schemas.Agent {
	var agents []schemas.Agent
	for _, c := range list {
		agents = append(agents, c.Name)
	}
	return agents
}

// rankReasons returns the agents with the reasons of their ranks.
func rankReasons(list []*schemas.Card, want roster.Work) []schemas.RoutingCandidate {
	var all []schemas.RoutingCandidate
	for _, c := range list {
		all = append(all, schemas.RoutingCandidate{Agent: c.Name, Why: roster.RankReasons(*c, want)})
	}
	return all
}

// In each case, one rule puts the better agent first, although all later rules would put the other agent first.
func TestRankCards_AppliesRulesInOrder(t *testing.T) {
	code := []string{"code"}
	for _, c := range []struct {
		name          string
		better, worse schemas.Card
	}{
		{
			"accepts by name, then skills",
			schemas.Card{Name: "z", Accepts: code, Pending: 3},
			schemas.Card{Name: "a", Accepts: []string{"*"}, Skills: []string{"go"}, Seen: noon},
		},
		{
			"skills, then open",
			schemas.Card{Name: "z", Accepts: code, Skills: []string{"go", "sql"}, Held: 3},
			schemas.Card{Name: "a", Accepts: code, Skills: []string{"go", "go"}, Seen: noon},
		},
		{
			"open, then who waits",
			schemas.Card{Name: "z", Accepts: code, Pending: 1},
			schemas.Card{Name: "a", Accepts: code, Pending: 2, Waiting: true},
		},
		{
			"who waits, then seen",
			schemas.Card{Name: "z", Accepts: code, Waiting: true},
			schemas.Card{Name: "a", Accepts: code, Seen: noon, Live: true},
		},
		{
			"open, then seen",
			schemas.Card{Name: "z", Accepts: code, Pending: 1, Held: 1},
			schemas.Card{Name: "a", Accepts: code, Pending: 3, Seen: noon},
		},
		{
			"seen, then name",
			schemas.Card{Name: "z", Accepts: code, Seen: noon.Add(time.Second)},
			schemas.Card{Name: "a", Accepts: code, Seen: noon},
		},
		{
			"name",
			schemas.Card{Name: "a", Accepts: code, Seen: noon},
			schemas.Card{Name: "b", Accepts: code, Seen: noon.In(time.FixedZone("", 3600))},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := roster.Work{To: "capability:code", Tags: []string{"go", "sql"}}
			for _, cards := range [][]*schemas.Card{{&c.better, &c.worse}, {&c.worse, &c.better}} {
				require.Equal(t, []schemas.Agent{c.better.Name, c.worse.Name}, names(roster.RankCards(cards, want)))
			}
		})
	}
}

func TestRankCards_OfRolePrefersAgentAcceptingType(t *testing.T) {
	cards := []*schemas.Card{
		{Name: "RedStone", Role: "testing-specialist", Skills: []string{"qa"}},
		{Name: "BlueLake", Role: "testing", Accepts: []string{"test_request"}},
	}
	want := roster.Work{To: "role:testing", Type: "test_request", Tags: []string{"qa"}}
	require.Equal(t, []schemas.RoutingCandidate{
		{Agent: "BlueLake", Why: "accepts test_request, 0 open, not connected"},
		{Agent: "RedStone", Why: "role testing-specialist, skills qa, 0 open, not connected"},
	}, rankReasons(roster.RankCards(cards, want), want))

	ranked := roster.RankCards(cards, roster.Work{To: "role:testing", Type: schemas.TypeTestFailure, Tags: []string{"qa"}})
	require.Equal(t, []schemas.Agent{"RedStone", "BlueLake"}, names(ranked))
}

func TestRankCards_IgnoresOrderOfCards(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	cards := make([]*schemas.Card, 60)
	for i := range cards {
		cards[i] = &schemas.Card{
			Name:    schemas.Agent(fmt.Sprintf("agent-%d", i)),
			Accepts: []string{"code"},
			Skills:  []string{"go", "sql"}[:random.IntN(3)],
			Held:    random.IntN(3),
			Seen:    noon.Add(time.Duration(random.IntN(3)) * time.Hour),
		}
	}
	want := roster.Work{To: "capability:code", Tags: []string{"go", "sql"}}
	first := names(roster.RankCards(cards, want))
	require.Len(t, first, len(cards))
	for range 20 {
		random.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		require.Equal(t, first, names(roster.RankCards(cards, want)))
	}
}

func ExampleRankCards() {
	cards := []*schemas.Card{
		{Name: "auto-code", Accepts: []string{"specification", "bug_report"}, Skills: []string{"go"}, Pending: 2},
		{Name: "fixer", Accepts: []string{"bug_report"}, Skills: []string{"go", "sql"}, Live: true},
	}
	want := roster.Work{To: "capability:bug_report", Tags: []string{"sql"}}
	for _, c := range roster.RankCards(cards, want) {
		fmt.Println(c.Name, "-", roster.RankReasons(*c, want))
	}
	// Output:
	// fixer - accepts bug_report, skills sql, 0 open, connected
	// auto-code - accepts bug_report, 2 open, not connected
}
