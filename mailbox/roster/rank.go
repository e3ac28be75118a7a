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
	To   schemas.Address // a capability or a role; an agent's name seeks only that agent
	Type string
	Tags []string // compared with skills
}

// Rank orders agents that can take the work, the best first: who accepts it by name, then by skills among the tags,
// fewest open handoffs, who waits for work at this moment, most recently seen, and name. It changes neither cards nor
// want, and equal arguments give equal lists.
func Rank(cards []*schemas.Card, want Want) []*schemas.Card {
	able := schemas.Map(cards, func(card *schemas.Card) merit {
		return merit{card, nameScore(*card, want), len(sharedSkills(*card, want.Tags))}
	})
	slices.SortFunc(able, merit.compare)
	return schemas.Map(able, func(m merit) *schemas.Card { return m.card })
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
		cmp.Compare(openCount(*a.card), openCount(*b.card)),
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
func Idle(card schemas.Card) bool { return openCount(card) == 0 }

// TooLong tells whether an agent works for shorter than work is estimated to take.
func TooLong(card schemas.Card, estimate time.Duration) bool {
	return card.MaxMinutes > 0 && time.Duration(card.MaxMinutes)*time.Minute < estimate
}

// RefusesType tells whether an agent does not accept the type of work for a role.
func RefusesType(card schemas.Card, to schemas.Address, workType string) bool {
	return isRole(to) && !Accepts(card, workType)
}

// nameScore counts 1 for who accepts the work by name and 0 for who takes it among everything.
func nameScore(card schemas.Card, want Want) int {
	sought := soughtCapability(want)
	return oneIf(sought != "" && slices.Contains(card.Accepts, sought))
}

// soughtCapability is the capability that is addressed, else the type of the work where it says something; "" for work that
// anybody in a role may do.
func soughtCapability(want Want) string {
	kind, name := want.To.Kind()
	switch {
	case kind == "capability":
		return name
	case isProtocolType(want.Type):
		return ""
	}
	return want.Type
}

// isRole tells whether an address is a role: only there the type of the work is asked about, since an address that is a
// capability says what the work is.
func isRole(to schemas.Address) bool {
	kind, _ := to.Kind()
	return kind == "role"
}

// RankReasons says in a few words what puts an agent where it is, the strongest reason first. Texts of agents' cards are
// among it, so it is clipped to 200 bytes.
func RankReasons(card schemas.Card, want Want) string {
	var why []string
	switch {
	case nameScore(card, want) == 1:
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

// sharedSkills gives the skills of an agent that are asked for, each once.
func sharedSkills(card schemas.Card, tags []string) []string {
	other := func(skill string) bool { return !slices.Contains(tags, skill) }
	return schemas.Unique(slices.DeleteFunc(slices.Clone(card.Skills), other))
}

// openCount is how much an agent has before it, as its card counts it: what waits for it, and what it holds.
func openCount(card schemas.Card) int { return card.Pending + card.Held }
