// Package card makes the cards of agents. A card says what an agent can do. It comes from the agent's own registration
// and from files of a project that declare agents.
//
// When an agent registers, [CheckRegistration] checks the fields of its call and [UpdateCard] updates its
// [schemas.Card]. Files declare agents and rules: [ParseDeclared] reads the declarations, and
// [Declarations.ChangedAgents] compares them with a snapshot of the store and returns the rows of agents that must
// change. [IsListed] and [SortAndLimit] select the cards for a list of agents.
//
// This package writes nothing to the store; package mailbox does. Package mailbox also adds the present state of an
// agent to its card, such as the number of its claims. Package roster decides which work an agent may take by its card.
package card

import (
	"cmp"
	"fmt"

	"handoff/mailbox/roster"
	"handoff/schemas"
)

// CheckRegistration checks a registration and returns the name to register. The error is invalid, with the field, for a
// reserved name and for a name, a role or an entry of a list that is not a word.
func CheckRegistration(in schemas.RegisterIn) (schemas.Agent, error) {
	name, err := schemas.ParseAgent("name", in.Name)
	if err != nil {
		return "", err
	}
	if name == schemas.Human || name == schemas.System {
		return "", schemas.Invalidf("name", "%s is a reserved name", name).
			WithHint("Register under the name that you act as.")
	}
	err = cmp.Or(checkWords("accepts", in.Accepts), checkWords("produces", in.Produces), checkWords("skills", in.Skills))
	if err == nil && in.Role != "" {
		err = checkWord("role", in.Role)
	}
	return name, err
}

// UpdateCard updates a card with an agent's registration. A field that the call omits keeps its value, except away: a
// call without away says that the agent is back. An empty list replaces the earlier list; a missing list does not.
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
	c.Role, c.Description = cmp.Or(in.Role, c.Role), cmp.Or(in.Description, c.Description)
	c.MaxMinutes, c.MaxOpen = cmp.Or(in.MaxMinutes, c.MaxMinutes), cmp.Or(in.MaxOpen, c.MaxOpen)
}

// checkWords refuses a list with a text that is not a word. The word "anything" is allowed only in the field accepts.
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

// checkWord refuses a text that is not a word; the error is invalid, with the field. The text must be a word because it
// becomes part of an address, such as capability:code_review.
func checkWord(field, word string) error {
	if schemas.IsWord(word) {
		return nil
	}
	return schemas.Invalidf(field, "%q is not a word", schemas.EscapeHidden(word)).
		WithHint("Write 1 to 64 of A-Z a-z 0-9 . _ -, such as code_review.")
}
