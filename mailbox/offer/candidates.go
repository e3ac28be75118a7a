package offer

import (
	"cmp"
	"slices"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// maxRouted is the number of candidates, and of excluded agents, that the result of a send names. A sender only needs
// to see that an agent can take the work.
const maxRouted = 5

// RankCandidates ranks the agents that could take a handoff now, best first. routed names at most [maxRouted] of these
// agents, and at most [maxRouted] excluded agents with their reasons, sorted by name. cards must hold the number of
// handoffs that each agent holds.
func (f Offers) RankCandidates(cards []schemas.Card, r *store.Record) (ranked []*schemas.Card, routed *schemas.RoutingResult) {
	want := roster.Work{To: r.To, Type: r.Type, Tags: r.Tags, Products: r.Products, IsDue: r.Deadline != 0}
	able, excluded := make([]*schemas.Card, 0, len(cards)), []schemas.RoutingCandidate(nil)
	t := claimJudge{Offers: f, generalists: r.NoTakers == "generalist", counted: true}
	for i := range cards {
		switch t.Card, t.held = cards[i], cards[i].Held; {
		case !t.isNameOrPool(r.To):
		case t.firstReason(r, Full|Unfit|Away) == 0:
			able = append(able, &cards[i])
		default:
			excluded = append(excluded, schemas.RoutingCandidate{Agent: t.Card.Name, Why: t.verdict(r, Full|Unfit|Away).shortReasonClause()})
		}
	}
	slices.SortFunc(excluded, func(a, b schemas.RoutingCandidate) int { return cmp.Compare(a.Agent, b.Agent) })
	ranked, routed = roster.RankCards(able, want), &schemas.RoutingResult{Excluded: excluded[:min(len(excluded), maxRouted)]}
	for _, card := range ranked[:min(len(ranked), maxRouted)] {
		routed.Candidates = append(routed.Candidates, schemas.RoutingCandidate{Agent: card.Name, Why: roster.RankReasons(*card, want)})
	}
	return ranked, routed
}

// AgentToTellFirst returns the best ranked agent that is present and idle, or "" if there is none. The server tells
// this agent of the handoff before the other members of the pool.
//
// It skips the agents that sent the handoff, held it last, asked about it, or were told of it before. It also skips
// did, the agent whose action returned the handoff to its pool.
func (f Offers) AgentToTellFirst(ranked []*schemas.Card, r *store.Record, did schemas.Agent) schemas.Agent {
	passed := append([]schemas.Agent{r.From, r.Holder, r.Asker, did}, r.Told...)
	for _, card := range ranked {
		if (card.Live || card.Waiting) && roster.IsIdle(*card) && !slices.Contains(passed, card.Name) {
			if t := f.newClaimJudge(store.Agent{Card: *card}); t.firstReason(r, Declined|NotRecipient) == 0 {
				return card.Name
			}
		}
	}
	return ""
}
