// Package card makes the cards of agents: what an agent says of itself, and what the files of a project say of it.
//
// An agent registers: [Check] reads what it says, and [Register] brings its [schemas.Card] in line with that. Files
// declare agents and rules: [ParseDeclared] reads them, and [Declared.Changes] compares them with a snapshot of the
// store and gives the rows of agents that are to be others. [Shown] and [Fit] say which cards a list of agents has.
//
// Nothing is written to the store: package mailbox keeps what comes of it. What an agent is doing now, such as how much
// it holds, is put on its card there. Who may take which work by its card is the matter of package roster.
package card

import (
	"cmp"
	"fmt"

	"handoff/mailbox/roster"
	"handoff/schemas"
)

// Check gives the name that is registered. The error is invalid, with the field, for a reserved name and for a word that
// is none.
func Check(in schemas.RegisterIn) (schemas.Agent, error) {
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

// Register brings a card in line with what an agent says of itself. What it leaves out stays, so that saying away, and
// being back, takes one word. An empty list that was said takes the place of the one before; a list that was not said
// does not.
func Register(c *schemas.Card, in schemas.RegisterIn) {
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

// checkWords refuses a list with a text that is no word. Only what an agent accepts may be anything.
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

// checkWord refuses what is no word, with invalid and the field. A word becomes part of an address, such as
// capability:code_review.
func checkWord(field, word string) error {
	if schemas.IsWord(word) {
		return nil
	}
	return schemas.Invalidf(field, "%q is not a word", schemas.Visible(word)).
		WithHint("Write 1 to 64 of A-Z a-z 0-9 . _ -, such as code_review.")
}
