package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// Work describes the work. Only To is required.
type Work struct {
	To   schemas.Address // a capability or a role; an agent's name seeks only that agent
	Type string
	Tags []string // compared with skills
}

// RankCards orders qualified agents, the best first: by accepting the work by name, then by skills among the tags,
// fewest open handoffs, waiting for work now, most recent call, and name. It changes neither cards nor want, and equal
// arguments give equal lists.
func RankCards(cards []*schemas.Card, want Work) []*schemas.Card {
	able := schemas.Map(cards, func(card *schemas.Card) rankedAgent {
		return rankedAgent{card, acceptsByNameScore(*card, want), len(sharedSkills(*card, want.Tags))}
	})
	slices.SortFunc(able, rankedAgent.compare)
	return schemas.Map(able, func(m rankedAgent) *schemas.Card { return m.card })
}

// rankedAgent is a qualified agent with values that are costly to compare.
type rankedAgent struct {
	card   *schemas.Card
	byName int
	skills int
}

// compare orders two qualified agents. Names decide last, so that the order is the same each time.
func (a rankedAgent) compare(b rankedAgent) int {
	return cmp.Or(
		cmp.Compare(b.byName, a.byName),
		cmp.Compare(b.skills, a.skills),
		cmp.Compare(openCount(*a.card), openCount(*b.card)),
		cmp.Compare(boolToInt(b.card.Waiting), boolToInt(a.card.Waiting)),
		b.card.Seen.Compare(a.card.Seen),
		cmp.Compare(a.card.Name, b.card.Name),
	)
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

// IsIdle reports whether an agent holds nothing and has nothing in its own mailbox.
func IsIdle(card schemas.Card) bool { return openCount(card) == 0 }

// ExceedsLongestSession reports whether the estimate exceeds the agent's longest session.
func ExceedsLongestSession(card schemas.Card, estimate time.Duration) bool {
	return card.MaxMinutes > 0 && time.Duration(card.MaxMinutes)*time.Minute < estimate
}

// RefusesTypeForRole reports whether an agent does not accept the type of work for a role.
func RefusesTypeForRole(card schemas.Card, to schemas.Address, workType string) bool {
	return isRole(to) && !AcceptsType(card, workType)
}

// acceptsByNameScore is 1 for an agent that accepts the work by name, and 0 for one that accepts it as anything.
func acceptsByNameScore(card schemas.Card, want Work) int {
	sought := soughtCapability(want)
	return boolToInt(sought != "" && slices.Contains(card.Accepts, sought))
}

// soughtCapability returns the addressed capability, or the type of the work if it is specific; "" for work that any
// agent of a role may do.
func soughtCapability(want Work) string {
	kind, name := want.To.Kind()
	switch {
	case kind == "capability":
		return name
	case isProtocolType(want.Type):
		return ""
	}
	return want.Type
}

// isRole reports whether an address is a role. Only there the type of the work counts: a capability itself says which
// work it is.
func isRole(to schemas.Address) bool {
	kind, _ := to.Kind()
	return kind == "role"
}

// RankReasons explains an agent's rank in a few words, the strongest reason first. It contains texts of agents' cards,
// so it is clipped to 200 bytes.
func RankReasons(card schemas.Card, want Work) string {
	var why []string
	switch {
	case acceptsByNameScore(card, want) == 1:
		why = append(why, "accepts "+soughtCapability(want))
	case isRole(want.To):
		why = append(why, "role "+card.Role)
	case isGeneralist(card):
		why = append(why, "accepts anything")
	}
	if skills := sharedSkills(card, want.Tags); len(skills) > 0 {
		why = append(why, "skills "+strings.Join(skills, " "))
	}
	why = append(why, fmt.Sprintf("%d open", openCount(card)))
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

// sharedSkills returns the agent's skills among the tags, each once.
func sharedSkills(card schemas.Card, tags []string) []string {
	other := func(skill string) bool { return !slices.Contains(tags, skill) }
	return schemas.Unique(slices.DeleteFunc(slices.Clone(card.Skills), other))
}

// openCount returns how many handoffs an agent holds or has in its own mailbox, by its card.
func openCount(card schemas.Card) int { return card.Pending + card.Held }
