package offer

import (
	"cmp"
	"slices"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// maxRouted is how many candidates, and how many excluded agents, a send names. A sender needs to know that some agent
// can take the work, not every one of them.
const maxRouted = 5

// RankCandidates ranks the agents that could take a handoff now, best first. routed names the best of them, and the
// excluded agents with the reason of each, sorted by name, [maxRouted] of each at most. An agent that does not qualify
// for the address is in neither list. The cards say how many handoffs the agents hold.
func (f Offers) RankCandidates(cards []schemas.Card, r *store.Record) (ranked []*schemas.Card, routed *schemas.Routed) {
	want := roster.Work{To: r.To, Type: r.Type, Tags: r.Tags}
	able, excluded := make([]*schemas.Card, 0, len(cards)), []schemas.Candidate(nil)
	t := claimJudge{Offers: f, generalists: r.NoTakers == "generalist", counted: true}
	for i := range cards {
		switch t.Card, t.held = cards[i], cards[i].Held; {
		case !t.qualifies(r.To):
		case t.firstReason(r, Full|Unfit|Away) == 0:
			able = append(able, &cards[i])
		default:
			excluded = append(excluded, schemas.Candidate{Agent: t.Card.Name, Why: t.verdict(r, Full|Unfit|Away).shortReasonClause()})
		}
	}
	slices.SortFunc(excluded, func(a, b schemas.Candidate) int { return cmp.Compare(a.Agent, b.Agent) })
	ranked, routed = roster.RankCards(able, want), &schemas.Routed{Excluded: excluded[:min(len(excluded), maxRouted)]}
	for _, card := range ranked[:min(len(ranked), maxRouted)] {
		routed.Candidates = append(routed.Candidates, schemas.Candidate{Agent: card.Name, Why: roster.RankReasons(*card, want)})
	}
	return ranked, routed
}

// AgentToTellFirst returns the ranked agent that is told first of a handoff: the best one that is present and has no
// work, "" for none. The answer is stale as soon as an agent claims or registers.
//
// An agent is not told first of a handoff that it rejected, held until now, asked about, sent, or was told of before.
// did, the agent whose action brings the handoff to its pool now, is not told first either.
func (f Offers) AgentToTellFirst(ranked []*schemas.Card, r *store.Record, did schemas.Agent) schemas.Agent {
	passed := append([]schemas.Agent{r.From, r.Holder, r.Asker, did}, r.Told...)
	for _, card := range ranked {
		if (card.Live || card.Waiting) && roster.IsIdle(*card) && !slices.Contains(passed, card.Name) {
			if t := f.newClaimJudge(store.Agent{Card: *card}); t.firstReason(r, Declined|NotFor) == 0 {
				return card.Name
			}
		}
	}
	return ""
}
