package mailbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// Random sends, rejections, releases, retries and times: an agent that rejected work or is excluded from it never holds
// the work or its successor, by the next claim or by id. No agent holds more than it takes, and the remaining agents
// share the work.
func TestRouting_RandomCallsRespectExclusions(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			ctx, w, rnd := context.Background(), newWorld(t), rand.New(rand.NewPCG(seed, 1))
			a, took := w.Stdio("a"), map[schemas.Agent]int{}
			cards := []schemas.RegisterIn{{Name: "one", MaxOpen: 1}, {Name: "short", MaxMinutes: 10}, {Name: "any"}, {Name: "more"}}
			var team []schemas.Caller
			for _, card := range cards {
				card.Accepts = []string{"review"}
				team = append(team, w.Stdio(schemas.Agent(card.Name)))
				_, err := w.Register(ctx, team[len(team)-1], card)
				require.NoError(t, err)
			}
			team = append(team, w.Stdio("other"))
			w.Sends(team[len(cards)], "human", "so that it is known")
			rejected, long, holds := map[schemas.ID][]schemas.Agent{}, map[schemas.ID]bool{}, map[schemas.ID]schemas.Caller{}
			drop := func(id schemas.ID) schemas.Caller { by := holds[id]; delete(holds, id); return by }
			for range 150 {
				by, id := team[rnd.IntN(len(team))], schemas.ID(1+rnd.IntN(len(long)+1))
				switch _, held := holds[id]; rnd.IntN(6) {
				case 0:
					estimate := []string{"", "60m"}[rnd.IntN(2)]
					out := w.Sends(a, "capability:review", fmt.Sprint(len(long)), func(in *schemas.SendIn) {
						in.Parent, in.Expectations = "none", &schemas.Expectations{EstimatedDuration: estimate}
					})
					long[out.HandoffID] = estimate != ""
				case 1, 2:
					in := schemas.ClaimIn{}
					if rnd.IntN(2) == 0 {
						in.HandoffID = id.String()
					}
					out, err := w.Claim(ctx, by, in)
					if err != nil || out.HandoffID == 0 {
						continue
					}
					require.NotContains(t, rejected[out.HandoffID], by.Agent)
					require.False(t, by.Agent == "short" && long[out.HandoffID])
					holds[out.HandoffID] = by
					took[by.Agent]++
					require.True(t, len(w.heldBy(team[0])) <= 1 || isForOneAgent(w, out.HandoffID), "one takes one")
				case 3:
					if held {
						by = drop(id)
						next := w.Fails(by, rejectionNaming(id, []string{"", "one", "other"}[rnd.IntN(3)])).RollbackHandoff
						rejected[id] = append(rejected[id], by.Agent)
						if next != 0 {
							rejected[next], long[next] = slices.Clone(rejected[id]), long[id]
						}
					}
				case 4:
					if held {
						w.Updates(drop(id), id, schemas.ActRelease)
					}
				case 5:
					w.Pass(time.Minute)
				}
			}
			for _, of := range team[:len(cards)] {
				require.Positive(t, took[of.Agent], "each got some")
			}
		})
	}
}

// isForOneAgent reports whether a handoff is for one agent by name, which may always take it.
func isForOneAgent(w *world, id schemas.ID) bool {
	_, by := schemas.Address(w.FullView(id).Handoff.Target.Agent).SingleAgent()
	return by
}

func (w *world) heldBy(by schemas.Caller) []schemas.ListItem {
	return mailboxtest.Must(w.t, w.List, by, schemas.ListIn{Box: "claimed"}).Items
}
