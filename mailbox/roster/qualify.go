// Package roster decides which agents may take a piece of work, and which are best.
//
// An agent's [schemas.Card] says what it accepts, its skills, its role, and how much it holds. Work is sent to an
// agent, to "capability:NAME" or to "role:NAME". [Qualifies] reports whether an agent may take work for an address,
// [BoxesForCard] lists the addresses whose work an agent may take, and [RankCards] orders qualified agents, best first,
// with reasons. [SuggestPool] suggests an address if no agent qualifies.
//
// A role has two spellings, "testing" and "testing-specialist", which name the same one. An agent belongs to the role
// on its card. The beginning of a name gives a role only if a file declares that role. An agent that neither registered
// nor has a role gets only work that is sent to its name.
//
// Qualifying depends only on the agent's declaration, not on whether it is present or busy: work waits in a pool until
// a qualified agent claims it. An agent's current load only orders the candidates that a sender is shown.
//
// All functions are pure: they ignore the time of day, and use only the order in which agents were seen.
package roster

import (
	"fmt"
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// Anything, as an accepted type, makes an agent a generalist: it takes work of any type.
const Anything = "*"

// Qualifies reports whether the agent may take work for an address. Generalists qualify for capabilities that they do
// not name only if generalists is set. It ignores whether the agent is away, busy or present: [RankCards] uses that.
func Qualifies(card schemas.Card, to schemas.Address, generalists bool) bool {
	switch kind, name := to.Kind(); kind {
	case "capability":
		return slices.Contains(card.Accepts, name) || generalists && isGeneralist(card)
	case "role":
		return card.Role != "" && isSameRole(card.Role, name)
	default:
		return string(card.Name) == name
	}
}

// PoolSearchWords returns texts such that the card of each agent that qualifies for a pool has one of them, see
// [Qualifies]. Callers skip agents without any.
func PoolSearchWords(pool schemas.Address, generalists bool) []string {
	kind, name := pool.Kind()
	words := []string{name}
	if kind == "role" {
		words = append(words, otherRoleSpelling(name))
	}
	if generalists {
		words = append(words, Anything)
	}
	return words
}

// AcceptsType reports whether the agent takes work of a type. Every agent takes the types of the protocol itself, such
// as task_handoff and test_failure_report, and work without a type. An agent that declares nothing takes everything.
// Sends to an agent by name check it, so that work of the wrong kind is refused at the send.
func AcceptsType(card schemas.Card, workType string) bool {
	return isProtocolType(workType) || len(card.Accepts) == 0 || isGeneralist(card) ||
		slices.Contains(card.Accepts, workType)
}

// isProtocolType reports whether a type belongs to the protocol. Such types say how work moves, not which work it is.
func isProtocolType(workType string) bool {
	return slices.Contains([]string{
		"", schemas.TypeHandoff, schemas.TypeTestFailure, schemas.TypeFixComplete, schemas.TypeVerification, schemas.TypeMessage,
	}, workType)
}

// isGeneralist reports whether an agent said that it accepts [Anything].
func isGeneralist(card schemas.Card) bool { return slices.Contains(card.Accepts, Anything) }

// BoxesForCard lists the addresses whose work the agent may take: its own name first, each capability that it accepts,
// and its role in both spellings, without duplicates. A generalist also has "capability:*", which gets no work yet.
// Work waits in the mailbox that its sender wrote, so both spellings of a role are needed.
func BoxesForCard(card schemas.Card) []schemas.Address {
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
	add("role", otherRoleSpelling(card.Role))
	return boxes
}

// specialist is the ending that the longer spelling of a role has.
const specialist = "-specialist"

// isSameRole reports whether two texts spell the same role.
func isSameRole(a, b string) bool {
	return strings.TrimSuffix(a, specialist) == strings.TrimSuffix(b, specialist)
}

// otherRoleSpelling is a role without its ending, or with it where it has none; "" for no role.
func otherRoleSpelling(role string) string {
	short, long := strings.CutSuffix(role, specialist)
	if long || role == "" {
		return short
	}
	return role + specialist
}

// HasUnacceptedSkill reports whether an agent has a capability, named with or without its prefix, as a skill but does
// not accept it. It gets no work of that pool.
func HasUnacceptedSkill(card schemas.Card, capability string) bool {
	word := strings.TrimPrefix(capability, "capability:")
	return slices.Contains(card.Skills, word) && !slices.Contains(card.Accepts, word)
}

// SuggestPool suggests a pool with a similar name, as "qa takes capability:code": one of the same kind, or of any kind
// if the pool has none. It returns "" without one.
func SuggestPool(pool schemas.Address, cards []schemas.Card) string {
	kind, wanted, _ := strings.Cut(string(pool), ":")
	for _, c := range cards {
		for _, box := range BoxesForCard(c)[1:] { // the first is its name
			of, name, _ := strings.Cut(string(box), ":")
			if (kind == "" || of == kind) && name != Anything && len(closest.Likely(stripSeparators(wanted), []string{stripSeparators(name)})) > 0 {
				return fmt.Sprintf("%s takes %s", c.Name, box)
			}
		}
	}
	return ""
}

// stripSeparators returns a name without characters that people often spell differently.
func stripSeparators(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
}
