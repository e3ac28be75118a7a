package mailbox

import (
	"cmp"
	"context"
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Register keeps what an agent says of itself: the types of work that it accepts and produces, its skills and its
// role, how many handoffs it takes at a time and how long its sessions are. An agent calls it for itself, and a caller
// that may act as any agent for any other.
//
// From then on the agent qualifies for the pools of these words, and mail that waits there may go to it at once. The
// first registration of a workspace makes it one where agents are declared: a send to a name that nobody registered is
// refused from then on. What a later call leaves out stays as it was, except away, which holds only while it is said.
//
// The error is invalid for a reserved name and for a word other than 1 to 64 of A-Z a-z 0-9 . _ -; denied for a caller
// that may not act as that agent. A repetition changes nothing but is one more event.
func (s *Service) Register(ctx context.Context, by schemas.Caller, in schemas.RegisterIn) (schemas.RegisterOut, error) {
	name, err := schemas.ParseAgent("name", in.Name)
	if err != nil {
		return schemas.RegisterOut{}, err
	}
	if name == schemas.Human || name == schemas.System {
		return schemas.RegisterOut{}, schemas.Invalidf("name", "%s is a reserved name", name).
			WithHint("Register under the name that you act as.")
	}
	if len(by.Names) > 0 { // a caller that may act only as some speaks only for them
		if _, err := by.As(in.Name); err != nil {
			return schemas.RegisterOut{}, schemas.AsError(err).WithField("name")
		}
	}
	err = cmp.Or(checkWords("accepts", in.Accepts), checkWords("produces", in.Produces), checkWords("skills", in.Skills))
	if err == nil && in.Role != "" {
		err = checkWord("role", in.Role)
	}
	if err != nil {
		return schemas.RegisterOut{}, err
	}
	return mutate(ctx, s, by, func(o *op) (out schemas.RegisterOut, err error) {
		a, err := agentNamed(o.View, name)
		if err != nil {
			return out, err
		}
		a.Seen = cmp.Or(a.Seen, store.At(o.now)) // an agent for which another speaks is known from now on
		register(&a.Card, in)
		if err := o.tx.PutAgent(a); err != nil {
			return out, err
		}
		if err := o.recordSaid(life.Register, in); err != nil {
			return out, err
		}
		o.boxes = append(o.boxes, roster.Boxes(a.Card)...) // there may be mail that nobody could take before
		out.Agent, err = o.card(o.View, a)
		return out, err
	})
}

// register brings a card in line with what an agent says of itself. What it leaves out stays, so that saying
// away, and being back, takes one word.
func register(c *schemas.Card, in schemas.RegisterIn) {
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

func checkWord(field, word string) error {
	if _, err := schemas.ParseAgent("", word); err == nil {
		return nil
	}
	return schemas.Invalidf(field, "%q is not a word", schemas.Visible(word)).
		WithHint("Write 1 to 64 of A-Z a-z 0-9 . _ -, such as code_review.")
}
