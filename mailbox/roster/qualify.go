// Package roster answers who may take a piece of work, and who should.
//
// What is known of an agent is its [schemas.Card]: what it accepts, its skills, its role, how much it holds. Work is
// sent to an agent, to "capability:NAME" or to "role:NAME". [Qualifies] tells whether an agent may take work sent to an
// address, [Boxes] lists the addresses whose work an agent may take, and [Rank] orders those who can, best first, with
// reasons. [SuggestPool] says which address was likely meant where nobody qualifies.
//
// A role has two spellings, "testing" and "testing-specialist", which name the same one. An agent belongs to the role on
// its card. A name that begins with a role gives one only where a file declares that role. An agent that neither
// registered nor has a role gets only what is sent to its name.
//
// Qualifying is a matter of what an agent declared, and never of whether it is here or busy: work waits in a pool until
// somebody who qualifies asks for it. What an agent is doing now only orders the candidates that a sender is shown.
//
// All functions are pure: the time of day does not matter, only the order in which agents were seen.
package roster

import (
	"fmt"
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// Anything among what an agent accepts makes it a generalist: it takes work of any type that is sent to it.
const Anything = "*"

// Qualifies tells whether the agent may take work sent to an address. Generalists qualify for a capability that they do
// not name only when generalists is set. Whether the agent is away, busy or here is not asked: [Rank] does.
func Qualifies(card schemas.Card, to schemas.Address, generalists bool) bool {
	switch kind, name := to.Kind(); kind {
	case "capability":
		return slices.Contains(card.Accepts, name) || generalists && isGeneralist(card)
	case "role":
		return card.Role != "" && sameRole(card.Role, name)
	default:
		return string(card.Name) == name
	}
}

// PoolWords are the texts of which one is on the card of whoever qualifies for a pool, see [Qualifies]: an agent whose card
// has none of them need not be looked at.
func PoolWords(pool schemas.Address, generalists bool) []string {
	kind, name := pool.Kind()
	words := []string{name}
	if kind == "role" {
		words = append(words, otherSpelling(name))
	}
	if generalists {
		words = append(words, Anything)
	}
	return words
}

// Accepts tells whether the agent takes work of a type. Everybody takes the types of the protocol itself, such as
// task_handoff and test_failure_report, and work without a type; an agent that declares nothing takes everything. Sends
// to an agent by name ask it, so that work of the wrong kind is refused when it is sent and not when it is read.
func Accepts(card schemas.Card, workType string) bool {
	return isProtocolType(workType) || len(card.Accepts) == 0 || isGeneralist(card) ||
		slices.Contains(card.Accepts, workType)
}

// isProtocolType tells whether a type is one of the protocol's own, which say how work moves and not what it is.
func isProtocolType(workType string) bool {
	return slices.Contains([]string{
		"", schemas.TypeHandoff, schemas.TypeTestFailure, schemas.TypeFixComplete, schemas.TypeVerification, schemas.TypeMessage,
	}, workType)
}

// isGeneralist tells whether an agent said that it accepts [Anything].
func isGeneralist(card schemas.Card) bool { return slices.Contains(card.Accepts, Anything) }

// Boxes lists the addresses whose work the agent may take: its own name, each capability that it accepts, and its role
// in both spellings. A generalist also has "capability:*", where nothing is put yet. There are no duplicates, and the
// agent's own name is always first. Work waits in the mailbox of the address that its sender wrote, so both spellings
// of a role are looked into.
func Boxes(card schemas.Card) []schemas.Address {
	boxes := []schemas.Address{schemas.Address(card.Name)}
	add := func(kind, name string) {
		if a := schemas.Address(kind + ":" + name); name != "" && !slices.Contains(boxes, a) {
			boxes = append(boxes, a)
		}
	}
	for _, capability := range card.Accepts {
		add("capability", capability)
	}
	add("role", card.Role)
	add("role", otherSpelling(card.Role))
	return boxes
}

// specialist is the ending that the longer spelling of a role has.
const specialist = "-specialist"

// sameRole tells whether two texts spell the same role.
func sameRole(a, b string) bool {
	return strings.TrimSuffix(a, specialist) == strings.TrimSuffix(b, specialist)
}

// otherSpelling is a role without its ending, or with it where it has none; "" for no role.
func otherSpelling(role string) string {
	short, long := strings.CutSuffix(role, specialist)
	if long || role == "" {
		return short
	}
	return role + specialist
}

// SkilledOnly tells whether an agent has a capability, named with or without its prefix, as a skill and does not accept it:
// no work of that pool comes to it.
func SkilledOnly(card schemas.Card, capability string) bool {
	word := strings.TrimPrefix(capability, "capability:")
	return slices.Contains(card.Skills, word) && !slices.Contains(card.Accepts, word)
}

// SuggestPool says who takes work from a pool that was likely meant, as "qa takes capability:code": one of the same kind, or of
// any where none was said. It is empty where there is none.
func SuggestPool(pool schemas.Address, cards []schemas.Card) string {
	kind, wanted, _ := strings.Cut(string(pool), ":")
	for _, c := range cards {
		for _, box := range Boxes(c)[1:] { // the first is its name
			of, name, _ := strings.Cut(string(box), ":")
			if (kind == "" || of == kind) && name != Anything && len(closest.Likely(bareName(wanted), []string{bareName(name)})) > 0 {
				return fmt.Sprintf("%s takes %s", c.Name, box)
			}
		}
	}
	return ""
}

// bareName is a name without what people spell otherwise.
func bareName(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
}
