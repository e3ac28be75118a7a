package mailbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Register keeps what an agent says of itself: what it accepts, produces, and how much it takes. What it
// leaves out stays as it was, but for away.
func (s *Service) Register(ctx context.Context, by schemas.Caller, in schemas.RegisterIn) (schemas.RegisterOut, error) {
	name, err := schemas.ParseAgent("name", in.Name)
	if err != nil {
		return schemas.RegisterOut{}, err
	}
	if name == schemas.Human || name == schemas.System {
		return schemas.RegisterOut{}, schemas.Invalidf("name", "%s is a reserved name", name).WithHint("Register under the name that you act as.")
	}
	if len(by.Names) > 0 { // a caller that may act only as some speaks only for them
		if _, err := by.As(in.Name); err != nil {
			return schemas.RegisterOut{}, schemas.AsError(err).WithField("name")
		}
	}
	for _, list := range []struct {
		field string
		words []string
	}{{"accepts", in.Accepts}, {"produces", in.Produces}, {"skills", in.Skills}, {"role", some(in.Role)}} {
		if err := checkWords(list.field, list.words); err != nil {
			return schemas.RegisterOut{}, err
		}
	}
	return mutate(ctx, s, by, func(o *op) (out schemas.RegisterOut, err error) {
		a, err := o.agentOrNew(name)
		if err != nil {
			return out, err
		}
		register(&a.Card, in)
		if err := o.tx.PutAgent(a); err != nil {
			return out, err
		}
		content, err := o.said(in)
		if err != nil {
			return out, err
		}
		if err := o.record(actRegister, content); err != nil {
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
	for _, list := range []struct{ have, said *[]string }{{&c.Accepts, &in.Accepts}, {&c.Produces, &in.Produces}, {&c.Skills, &in.Skills}} {
		if *list.said != nil {
			*list.have = *list.said
		}
	}
	replace(&c.Role, in.Role)
	replace(&c.Description, in.Description)
	replace(&c.MaxMinutes, in.MaxMinutes)
	replace(&c.MaxOpen, in.MaxOpen)
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func checkWords(field string, words []string) error {
	for i, w := range words {
		if w == "*" && field == "accepts" {
			continue
		}
		if _, err := schemas.ParseAgent("", w); err != nil {
			at := field
			if field != "role" {
				at = fmt.Sprintf("%s[%d]", field, i)
			}
			return schemas.Invalidf(at, "%q is not a word", schemas.Visible(w)).
				WithHint("Write 1 to 64 of A-Z a-z 0-9 . _ -, such as code_review.")
		}
	}
	return nil
}

func (o *op) agentOrNew(name schemas.Agent) (store.Agent, error) {
	a, err := o.Agent(name)
	if a == nil || err != nil {
		return store.Agent{Card: schemas.Card{Name: name}, Seen: store.At(o.now)}, err
	}
	return *a, nil
}

// noteSeen notes that the caller is here, to the minute.
func (o *op) noteSeen() error {
	if o.by.Agent == "" || o.by.Agent == schemas.System || o.by.Agent == schemas.Human {
		return nil
	}
	a, err := o.me()
	if err != nil || o.now.Sub(a.Seen.Time()) < time.Minute && !o.unknown {
		return err
	}
	a.Seen = store.At(o.now)
	return o.tx.PutAgent(*a)
}

// me is what is kept of the caller, read once; a caller that was never here begins to exist.
func (o *op) me() (*store.Agent, error) {
	if o.self != nil && o.self.Card.Name == o.by.Agent {
		return o.self, nil
	}
	a, err := o.Agent(o.by.Agent)
	if err != nil {
		return nil, err
	}
	if o.unknown = a == nil; o.unknown {
		a = &store.Agent{Card: schemas.Card{Name: o.by.Agent}}
	}
	o.self = a
	return a, nil
}

// boxesOfCaller are the mailboxes that the caller may claim from.
func (o *op) boxesOfCaller() ([]schemas.Address, error) {
	a, err := o.me()
	if err != nil {
		return nil, err
	}
	return roster.Boxes(a.Card), nil
}

// boxesNow are those from which the caller takes the next: only its own while it holds as many as it said.
func (o *op) boxesNow() ([]schemas.Address, error) {
	a, err := o.me()
	if err != nil || a.Card.MaxOpen == 0 {
		return roster.Boxes(a.Card), err
	}
	m, err := o.Mailbox(schemas.Address(o.by.Agent))
	if m.Held >= a.Card.MaxOpen {
		return []schemas.Address{schemas.Address(o.by.Agent)}, err
	}
	return roster.Boxes(a.Card), err
}

// Agents lists who is known, what they accept and how busy they are.
func (s *Service) Agents(ctx context.Context, by schemas.Caller, in schemas.AgentsIn) (out schemas.AgentsOut, err error) {
	err = s.read(ctx, func(v *store.View) error {
		out.Agents = []schemas.Card{}
		cards, err := s.cardsIn(v)
		if err != nil {
			return err
		}
		for _, c := range cards {
			if matches(c, in) {
				out.Agents = append(out.Agents, c)
			}
		}
		slices.SortStableFunc(out.Agents, presence)
		return fitAgents(in.Limit, &out)
	})
	return out, err
}

// presence orders agents by who is live, then by who was seen last.
func presence(a, b schemas.Card) int {
	if a.Live != b.Live {
		if a.Live {
			return -1
		}
		return 1
	}
	return b.Seen.Compare(a.Seen)
}

// fitAgents keeps so many agents, or as many as fit into one answer.
func fitAgents(limit int, out *schemas.AgentsOut) error {
	keep := len(out.Agents)
	if limit > 0 {
		keep = min(keep, limit)
	} else {
		size := 0
		for i, c := range out.Agents {
			b, err := json.Marshal(c)
			if err != nil {
				return err
			}
			if size += len(b); size > room && i > 0 {
				keep = i
				break
			}
		}
	}
	out.More = len(out.Agents) - keep
	out.Agents = out.Agents[:keep]
	return nil
}

func matches(c schemas.Card, in schemas.AgentsIn) bool {
	if in.Capability != "" && !roster.Qualifies(c, schemas.Address("capability:"+strings.TrimPrefix(in.Capability, "capability:")), true) {
		return false
	}
	if in.Role != "" && !slices.Contains(roster.Boxes(c), schemas.Address("role:"+strings.TrimPrefix(in.Role, "role:"))) {
		return false
	}
	return len(in.Tags) == 0 || slices.ContainsFunc(in.Tags, func(t string) bool { return slices.Contains(c.Skills, t) })
}

func (o *op) cards() ([]schemas.Card, error) { return o.cardsIn(o.View) }

func (s *Service) cardsIn(v *store.View) (cards []schemas.Card, err error) {
	for a, err := range v.Agents() {
		if err != nil {
			return nil, err
		}
		c, err := s.card(v, a)
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	return cards, nil
}

// card is what is known of an agent now.
func (s *Service) card(v *store.View, a store.Agent) (schemas.Card, error) {
	c := a.Card
	m, err := v.Mailbox(schemas.Address(c.Name))
	c.Seen, c.Pending, c.Held, c.Notices = a.Seen.Time(), m.Pending, m.Held, m.Unread
	c.Live = s.conns.acting(c.Name)
	return c, err
}

// boxesOf are the mailboxes that an agent may claim from: its own, and the pools it qualifies for.
func boxesOf(v *store.View, name schemas.Agent) ([]schemas.Address, error) {
	a, err := v.Agent(name)
	if err != nil || a == nil {
		return []schemas.Address{schemas.Address(name)}, err
	}
	return roster.Boxes(a.Card), nil
}

// mayClaim tells whether the caller is the recipient, or one that qualifies and is not excluded.
func (o *op) mayClaim(r *store.Record) (bool, error) {
	if slices.Contains(r.Excluded, o.by.Agent) {
		return false, nil
	}
	boxes, err := o.boxesOfCaller()
	box := r.Box
	if r.Reserved == 0 {
		box = r.To
	}
	return slices.Contains(boxes, box), err
}

// Inbox counts the mail that an agent may claim, and its unread notices.
func (s *Service) Inbox(ctx context.Context, agent schemas.Agent) (in schemas.Inbox, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		in = schemas.Inbox{}
		boxes, err := boxesOf(v, agent)
		if err != nil {
			return err
		}
		for _, box := range boxes {
			m, err := v.Mailbox(box)
			if err != nil {
				return err
			}
			in.Pending += m.Pending
			in.Urgent += m.Urgent
			in.Notices += m.Unread
		}
		return nil
	})
	return in, s.coded(err)
}
