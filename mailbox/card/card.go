// Package card makes the cards of agents. A card says what an agent can do. It comes from the agent's own registration,
// or from a file of the project that declares the agent.
//
// [UpdateCard] updates the card of an agent that registers, and [Declarations.ChangedAgents] the cards of agents that
// files declare. [IsListed] and [SortAndLimit] select the cards for a list of agents. Package mailbox stores the cards,
// and adds the present state of each agent.
package card

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/mailbox/roster"
	"handoff/schemas"
)

// CheckRegistration checks a registration and returns the name to register. The error is invalid, with the field, for a
// reserved name, and for a name, role or list entry that [checkWord] refuses.
func CheckRegistration(in schemas.RegisterIn) (schemas.Agent, error) {
	name, err := schemas.ParseAgent("name", strings.TrimPrefix(in.Name, "@"))
	if err != nil {
		return "", err
	}
	if name == schemas.Human || name == schemas.System {
		return "", schemas.Invalidf("name", "%s is a reserved name", name).
			WithHint("Register under the name that you act as.")
	}
	err = cmp.Or(checkWords("accepts", in.Accepts), checkWords("produces", in.Produces), checkWords("skills", in.Skills), checkWords("roles", in.Roles))
	if err == nil && in.Role != "" {
		err = checkWord("role", in.Role)
	}
	return name, err
}

// UpdateCard updates a card with an agent's registration. A field that is missing in the registration keeps its value,
// except Away: a registration without Away means that the agent is back. An empty list replaces the earlier list.
func UpdateCard(c *schemas.Card, in schemas.RegisterIn) {
	c.Registered, c.Away = true, in.Away
	keep := func(have *[]string, said []string) {
		if said != nil {
			*have = said
		}
	}
	keep(&c.Accepts, in.Accepts)
	keep(&c.Produces, in.Produces)
	keep(&c.Skills, in.Skills)
	if roles := (schemas.Card{Role: in.Role, Roles: in.Roles}).AllRoles(); len(roles) > 0 {
		c.Role, c.Roles = roles[0], append([]string(nil), roles[1:]...) // nil for one, as it is read from the store
	}
	c.Description = cmp.Or(in.Description, c.Description)
	c.MaxMinutes, c.MaxOpen = cmp.Or(in.MaxMinutes, c.MaxMinutes), cmp.Or(in.MaxOpen, c.MaxOpen)
}

// checkWords calls [checkWord] for each text of a list and returns the first error. In the field accepts, the text
// [roster.Anything] is also allowed.
func checkWords(field string, words []string) error {
	for i, w := range words {
		if w == roster.Anything && field == "accepts" {
			continue
		}
		if err := checkWord(fmt.Sprintf("%s[%d]", field, i), w); err != nil {
			return err
		}
	}
	return nil
}

// checkWord returns an error for a text that is no valid name (see [schemas.IsValidName]), such as a text with a blank.
// The reason is that the text becomes part of an address, such as capability:code_review. The error is invalid, with
// the field.
func checkWord(field, word string) error {
	if schemas.IsValidName(word) {
		return nil
	}
	return schemas.Invalidf(field, "%q is not a word", schemas.EscapeHidden(word)).
		WithHint("Write 1 to 64 of A-Z a-z 0-9 . _ -, such as code_review.")
}
