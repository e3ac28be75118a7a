package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// Work describes the work for which agents are ranked. Only To is required.
type Work struct {
	To       schemas.Address // a capability or a role; an agent's name seeks only that agent
	Type     string
	Tags     []string // compared with skills
	Products []string // types of the deliverables, compared with products
	IsDue    bool     // it has a deadline
}

// RankCards returns the cards of qualified agents in a new order, the best first. It compares two agents by these
// points, and the first difference decides: whether the agent produces one of the deliverables, whether it accepts the
// work by name or at least produces it, the number of its skills among the tags, for work with a deadline whether it is
// connected, the number of its open handoffs (fewest first), whether it waits for work, its last call (latest first),
// and its name.
func RankCards(cards []*schemas.Card, want Work) []*schemas.Card {
	able := schemas.Map(cards, func(card *schemas.Card) rankedAgent { return rankedAgent{card, want.scores(*card)} })
	slices.SortFunc(able, func(a, b rankedAgent) int { // names decide last, so no two agents are equal
		return cmp.Or(slices.Compare(b.scores, a.scores), b.card.Seen.Compare(a.card.Seen), cmp.Compare(a.card.Name, b.card.Name))
	})
	return schemas.Map(able, func(m rankedAgent) *schemas.Card { return m.card })
}

// rankedAgent is a qualified agent with the numbers for the comparison, the most important first.
type rankedAgent struct {
	card   *schemas.Card
	scores []int
}

// scores returns the numbers by which agents are compared. The greater number is better.
func (want Work) scores(card schemas.Card) []int {
	return []int{
		boolToInt(Produces(card, want.Products)), byNameScore(card, want), len(sharedSkills(card, want.Tags)), boolToInt(want.IsDue && card.Live),
		-openCount(card), boolToInt(card.Waiting),
	}
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

// IsIdle reports whether an agent holds no handoff and has no handoff in its own mailbox.
func IsIdle(card schemas.Card) bool { return openCount(card) == 0 }

// ExceedsLongestSession reports whether an estimate is longer than the agent's longest session. An agent without this
// limit takes any estimate.
func ExceedsLongestSession(card schemas.Card, estimate time.Duration) bool {
	return card.MaxMinutes > 0 && time.Duration(card.MaxMinutes)*time.Minute < estimate
}

// LacksSkills reports whether an agent has none of the skills that work requires. A sender who asks for a generalist
// requires no skill.
func LacksSkills(card schemas.Card, to schemas.Address, required []string) bool {
	return len(required) > 0 && to != "capability:"+Anything && len(sharedSkills(card, required)) == 0
}

// RefusesTypeForRole reports whether an address is a role and the agent does not accept the type of the work, nor a
// kind of it, nor has it as a skill.
func RefusesTypeForRole(card schemas.Card, to schemas.Address, workType string) bool {
	return isRole(to) && !AcceptsType(card, workType) && !hasWord(slices.Concat(card.Accepts, card.Produces, card.Skills), workType, isRelatedWord)
}

// byNameScore returns 2 if the agent accepts the work by name, 1 if it only produces it, and 0 if it accepts any work.
func byNameScore(card schemas.Card, want Work) int {
	sought := soughtCapability(want)
	return cmp.Or(2*boolToInt(hasWord(card.Accepts, sought, isSameWord)), boolToInt(hasWord(card.Produces, sought, isSameWord)))
}

// soughtCapability returns the capability that the work needs: the addressed capability, or the type of the work. It
// returns "" for a type of the protocol, because any agent of the role may do that work.
func soughtCapability(want Work) string {
	kind, name := want.To.Split()
	switch {
	case kind == "capability":
		return name
	case isProtocolType(want.Type):
		return ""
	}
	return want.Type
}

// isRole reports whether an address is a role.
func isRole(to schemas.Address) bool {
	kind, _ := to.Split()
	return kind == "role"
}

// RankReasons explains an agent's rank in a few words, the strongest reason first. The result has at most 200 bytes,
// because cards contain texts of agents.
func RankReasons(card schemas.Card, want Work) string {
	var why []string
	switch score := byNameScore(card, want); {
	case score == 2:
		why = append(why, "accepts "+soughtCapability(want))
	case score == 1:
		why = append(why, "produces "+soughtCapability(want))
	case isRole(want.To):
		why = append(why, "role "+strings.Join(card.AllRoles(), " "))
	case isGeneralist(card):
		why = append(why, "accepts anything")
	}
	if kind, tag := want.To.Split(); kind == "tag" {
		want.Tags = append([]string{tag}, want.Tags...)
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
	other := func(skill string) bool { return !hasWord(tags, skill, isSameWord) }
	return schemas.Unique(slices.DeleteFunc(slices.Clone(card.Skills), other))
}

// openCount returns the number of handoffs that an agent holds or has in its own mailbox.
func openCount(card schemas.Card) int { return card.Pending + card.Held }
