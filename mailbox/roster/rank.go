package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// Want is the work that somebody is sought for. Only To is needed.
type Want struct {
	To       schemas.Address // a capability or a role; an agent's name seeks only that agent
	Type     string
	Tags     []string      // compared with skills
	Estimate time.Duration // zero when unknown

	Generalists bool // those who accept anything qualify too
}

// Rank orders the agents that qualify, the best first: who accepts the work by name, then by skills among the tags,
// fewest open handoffs, who waits for work at this moment, most recently seen, and name. Excluded are those to whom the
// work is addressed but who cannot take it now, by name, with why in a few words; who does not qualify at all is in
// neither list. It changes neither cards nor want, and equal arguments give equal lists.
func Rank(cards []schemas.Card, want Want) (ranked []*schemas.Card, excluded []schemas.Candidate) {
	able := make([]merit, 0, len(cards))
	for i := range cards {
		card := &cards[i]
		if !Qualifies(*card, want.To, want.Generalists) {
			continue
		}
		if why := obstacle(*card, want); why != "" {
			excluded = append(excluded, schemas.Candidate{Agent: card.Name, Why: why})
			continue
		}
		able = append(able, merit{card, byName(*card, want), len(shared(*card, want.Tags))})
	}
	slices.SortFunc(able, merit.compare)
	slices.SortFunc(excluded, func(a, b schemas.Candidate) int { return cmp.Compare(a.Agent, b.Agent) })
	return schemas.Map(able, func(m merit) *schemas.Card { return m.card }), excluded
}

// merit is an agent that can take the work, with what of it is costly to compare.
type merit struct {
	card   *schemas.Card
	byName int
	skills int
}

// compare orders two agents that can take the work. Names decide last, so that the order is the same each time.
func (a merit) compare(b merit) int {
	return cmp.Or(
		cmp.Compare(b.byName, a.byName),
		cmp.Compare(b.skills, a.skills),
		cmp.Compare(open(*a.card), open(*b.card)),
		cmp.Compare(oneIf(b.card.Waiting), oneIf(a.card.Waiting)),
		b.card.Seen.Compare(a.card.Seen),
		cmp.Compare(a.card.Name, b.card.Name),
	)
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Idle tells whether an agent has nothing before it: nothing waits for it alone, and it holds nothing.
func Idle(card schemas.Card) bool { return open(card) == 0 }

// obstacle says why an agent that qualifies cannot take the work now, or "": it is away, holds as many as it takes, or
// is unfit.
func obstacle(card schemas.Card, want Want) string {
	switch {
	case card.Away:
		return "away"
	case card.MaxOpen > 0 && card.Held >= card.MaxOpen:
		return fmt.Sprintf("holds %d, at most %d", card.Held, card.MaxOpen)
	}
	return Unfit(card, want)
}

// Unfit says what keeps an agent that qualifies from this work, whenever it asks, in a few words, or "": it works for
// shorter than the estimate, or, for a role, does not accept the type. Claims ask it, so that nobody gets what a sender
// was told that it does not get.
func Unfit(card schemas.Card, want Want) string {
	longest := time.Duration(card.MaxMinutes) * time.Minute
	switch {
	case longest > 0 && longest < want.Estimate:
		return fmt.Sprintf("works at most %s, the estimate is %s", minutes(longest), minutes(want.Estimate))
	case byRole(want.To) && !Accepts(card, want.Type):
		return "does not accept " + schemas.Visible(want.Type)
	}
	return ""
}

// byName counts 1 for who accepts the work by name and 0 for who takes it among everything.
func byName(card schemas.Card, want Want) int {
	sought := sought(want)
	return oneIf(sought != "" && slices.Contains(card.Accepts, sought))
}

// sought is the capability that is addressed, else the type of the work where it says something; "" for work that
// anybody in a role may do.
func sought(want Want) string {
	kind, name := want.To.Kind()
	switch {
	case kind == "capability":
		return name
	case ofProtocol(want.Type):
		return ""
	}
	return want.Type
}

// byRole tells whether an address is a role: only there the type of the work is asked about, since an address that is a
// capability says what the work is.
func byRole(to schemas.Address) bool {
	kind, _ := to.Kind()
	return kind == "role"
}

// Merits says in a few words what puts an agent where it is, the strongest reason first. Texts of agents' cards are
// among it, so it is clipped to 200 bytes.
func Merits(card schemas.Card, want Want) string {
	var why []string
	switch {
	case byName(card, want) == 1:
		why = append(why, "accepts "+sought(want))
	case byRole(want.To):
		why = append(why, "role "+card.Role)
	case generalist(card):
		why = append(why, "accepts anything")
	}
	if skills := shared(card, want.Tags); len(skills) > 0 {
		why = append(why, "skills "+strings.Join(skills, " "))
	}
	why = append(why, fmt.Sprintf("%d open", open(card)))
	switch {
	case card.Waiting:
		why = append(why, "waits for work")
	case card.Live:
		why = append(why, "connected")
	default:
		why = append(why, "not connected")
	}
	return schemas.Clip(strings.Join(why, ", "), 200)
}

// shared gives the skills of an agent that are asked for, each once.
func shared(card schemas.Card, tags []string) []string {
	var both []string
	for _, skill := range card.Skills {
		if slices.Contains(tags, skill) && !slices.Contains(both, skill) {
			both = append(both, skill)
		}
	}
	return both
}

// open is how much an agent has before it, as its card counts it: what waits for it, and what it holds.
func open(card schemas.Card) int { return card.Pending + card.Held }

// minutes is a duration in whole minutes, halves rounded up.
func minutes(d time.Duration) string { return fmt.Sprintf("%d min", int(d.Minutes()+0.5)) }
