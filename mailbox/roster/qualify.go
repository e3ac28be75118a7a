// Package roster decides which agents may take work that is sent to an address, and ranks these agents. An address is
// the name of an agent, "capability:NAME", "role:NAME" or "tag:NAME" for a skill.
//
// [Qualifies] reports whether an agent may take work for an address. [BoxesForCard] lists all addresses of an agent,
// and [RankCards] orders qualified agents, best first. [SuggestPool] suggests another address if no agent qualifies.
//
// The decision depends only on the agent's [schemas.Card], which holds its declaration. It does not matter whether the
// agent is present or busy, because work waits in a pool until a qualified agent claims it. A role has two spellings,
// such as "testing" and "testing-specialist". All functions are pure.
package roster

import (
	"fmt"
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// Anything is the accepted type of a generalist, an agent that takes work of any type.
const Anything = "*"

// Qualifies reports whether an agent may take work for an address. A generalist qualifies for every capability if
// generalists is set. Otherwise an agent must accept or produce the capability by name.
func Qualifies(card schemas.Card, to schemas.Address, generalists bool) bool {
	switch kind, name := to.Split(); kind {
	case "capability":
		return slices.Contains(card.Accepts, name) || slices.Contains(card.Produces, name) || generalists && isGeneralist(card)
	case "role":
		return slices.ContainsFunc(card.AllRoles(), func(role string) bool { return isSameRole(role, name) })
	case "tag":
		return slices.Contains(card.Skills, name)
	default:
		return string(card.Name) == name
	}
}

// PoolSearchWords returns words for a search of cards. The card of each agent that qualifies for the pool contains at
// least one of these words, so callers need not read other cards.
func PoolSearchWords(pool schemas.Address, generalists bool) []string {
	kind, name := pool.Split()
	words := []string{name}
	if kind == "role" {
		words = append(words, otherRoleSpelling(name))
	}
	if generalists {
		words = append(words, Anything)
	}
	return words
}

// AcceptsType reports whether an agent takes work of a type: it accepts or produces this type, or has a role of this
// name. Every agent takes work without a type, and work of a type of the protocol, such as task_handoff. An agent that
// declares no accepted types takes every type.
func AcceptsType(card schemas.Card, workType string) bool {
	return isProtocolType(workType) || acceptsAsDeclared(card, workType)
}

// AcceptsReviews reports whether an agent registered for reviews: it accepts them by name, or any type, or it declares
// no accepted types. An agent that did not may still be named as a reviewer.
func AcceptsReviews(card schemas.Card) bool { return acceptsAsDeclared(card, schemas.TypeReview) }

func acceptsAsDeclared(card schemas.Card, workType string) bool {
	return len(card.Accepts) == 0 || isGeneralist(card) || AcceptsByName(card, workType)
}

// AcceptsByName reports whether an agent declared a type of work: it accepts or produces it, or has a role of this
// name.
func AcceptsByName(card schemas.Card, workType string) bool {
	roles := schemas.Map(card.AllRoles(), func(role string) string { return strings.TrimSuffix(role, specialist) })
	return hasWord(slices.Concat(card.Accepts, card.Produces, roles), strings.TrimSuffix(workType, specialist), isSameWord)
}

// MissingProducts returns the types of deliverables that an agent does not produce. A product that is a kind of
// another, such as a security report, counts as the other. It returns nil if the agent declared no products or accepts
// anything, because then nothing is known about its products.
func MissingProducts(card schemas.Card, types []string) []string {
	if len(card.Produces) == 0 || isGeneralist(card) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(types), func(t string) bool { return hasWord(card.Produces, t, isKindOf) })
}

// Produces reports whether an agent declared that it produces one of the types.
func Produces(card schemas.Card, types []string) bool {
	return len(card.Produces) > 0 && len(MissingProducts(card, types)) < len(types)
}

// AcceptedAs returns the types that agents accept among the given types, in the spelling of the agents, each once.
func AcceptedAs(types []string, cards []schemas.Card) (accepted []string) {
	for _, t := range types {
		for _, c := range cards {
			accepted = append(accepted, slices.DeleteFunc(slices.Clone(c.Accepts), func(a string) bool { return !isSameWord(a, t) })...)
		}
	}
	return schemas.Unique(accepted)
}

// ProducesOther reports whether an agent declared its products, and none of them has one of the types.
func ProducesOther(card schemas.Card, types []string) bool {
	return len(types) > 0 && len(MissingProducts(card, types)) == len(types)
}

// isProtocolType reports whether a type belongs to the protocol. These types describe a step of the protocol and not a
// kind of work.
func isProtocolType(workType string) bool {
	return slices.Contains([]string{
		"", schemas.TypeHandoff, schemas.TypeTestFailure, schemas.TypeFixComplete, schemas.TypeVerification, schemas.TypeMessage, schemas.TypeReview,
	}, workType)
}

// isGeneralist reports whether an agent said that it accepts [Anything].
func isGeneralist(card schemas.Card) bool { return slices.Contains(card.Accepts, Anything) }

// BoxesForCard returns the addresses whose work an agent may take: its name first, then each capability that it accepts
// or produces, then its roles in both spellings, then its skills. Each address occurs once.
func BoxesForCard(card schemas.Card) []schemas.Address {
	boxes := []schemas.Address{schemas.Address(card.Name)}
	add := func(kind, name string) {
		if a := schemas.Address(kind + ":" + name); name != "" && !slices.Contains(boxes, a) {
			boxes = append(boxes, a)
		}
	}
	for _, capability := range slices.Concat(card.Accepts, card.Produces) {
		add("capability", capability)
	}
	for _, role := range card.AllRoles() {
		add("role", role)
		add("role", otherRoleSpelling(role))
	}
	for _, skill := range card.Skills {
		add("tag", skill)
	}
	return boxes
}

// PoolNames returns the addresses of the pools for which the agents qualify, each once: first the roles in the shorter
// spelling, then the accepted capabilities.
func PoolNames(cards []schemas.Card) []string {
	var roles, capabilities []string
	for _, card := range cards {
		roles = append(roles, schemas.Map(card.AllRoles(), func(role string) string { return "role:" + strings.TrimSuffix(role, specialist) })...)
		capabilities = append(capabilities, schemas.Map(card.Accepts, func(kind string) string { return "capability:" + kind })...)
	}
	return slices.DeleteFunc(schemas.Unique(append(roles, capabilities...)), func(pool string) bool {
		return pool == "capability:"+Anything
	})
}

// specialist is the ending of the longer spelling of a role.
const specialist = "-specialist"

// IsSamePool reports whether two addresses are the same pool. A role may be in either spelling.
func IsSamePool(a, b schemas.Address) bool {
	return a == b || isRole(a) && isRole(b) && isSameRole(string(a), string(b))
}

// isSameRole reports whether two texts spell the same role.
func isSameRole(a, b string) bool {
	return strings.TrimSuffix(a, specialist) == strings.TrimSuffix(b, specialist)
}

// otherRoleSpelling returns the other spelling of a role: "testing-specialist" for "testing", and "testing" for
// "testing-specialist". It returns "" for "".
func otherRoleSpelling(role string) string {
	short, long := strings.CutSuffix(role, specialist)
	if long || role == "" {
		return short
	}
	return role + specialist
}

// HasUnacceptedSkill reports whether a capability is among the agent's skills but not among the types that the agent
// accepts. The capability may be written as "code" or as "capability:code". If the result is true, the agent gets no
// work for this capability.
func HasUnacceptedSkill(card schemas.Card, capability string) bool {
	word := strings.TrimPrefix(capability, "capability:")
	return slices.Contains(card.Skills, word) && !slices.Contains(card.Accepts, word) && !slices.Contains(card.Produces, word)
}

// SuggestPool returns a hint with an agent and another pool of a similar name, such as "qa takes capability:code". It
// considers only pools with the same prefix ("capability:" or "role:"). If pool begins with a colon, it considers all
// pools. It returns "" if no name is similar.
func SuggestPool(pool schemas.Address, cards []schemas.Card) string {
	kind, wanted, _ := strings.Cut(string(pool), ":")
	for _, c := range cards {
		for _, box := range BoxesForCard(c)[1:] { // the first is its name
			of, name, _ := strings.Cut(string(box), ":")
			if (kind == "" || of == kind) && name != Anything && !IsSamePool(pool, box) && len(closest.LikelyNames(stripSeparators(wanted), []string{stripSeparators(name)})) > 0 {
				return fmt.Sprintf("%s takes %s", c.Name, box)
			}
		}
	}
	return ""
}
