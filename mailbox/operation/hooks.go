package operation

import (
	"context"
	"fmt"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Hooks are the rules that take part in operations without being called by them. O is what the rules work with: an [Op]
// and what the caller adds to it, see [New]. A rule whose condition does not hold is not entered.
type Hooks[O any] struct {
	// Before take part before a changed record is written; they change that record alone. After take part when it was
	// written, and before anything follows from it.
	Before, After []Rule[O]

	// Due has what the clock does when a time of a record is over.
	Due map[Timer]func(O, *store.Record) error

	// Follows has what a consequence does to the handoff itself, and Across what it does to others.
	Follows map[life.Consequence]Follow[O]
	Across  map[life.Consequence]Across[O]

	// Resumed comes before a consequence that was put off is carried out.
	Resumed func(O, *Happening, store.Debt) error

	// Lapsed comes after the clock was applied to a handoff. It tells whether that was enough for one operation.
	Lapsed func(O) (enough bool)

	// Cut brings the times of a record back to where a clock that is right could have set them at the latest.
	Cut func(O, *store.Record) (changed bool)

	// Seen comes after a session of a client was seen.
	Seen func(o O, client schemas.Agent) error

	// Why explains that the state of a record does not allow an action. It is the error of that.
	Why func(O, life.Action, *store.Record) error

	// Refused comes after an operation was undone.
	Refused func(O, context.Context)
}

// A Rule takes part in each change of a record for which its condition holds.
type Rule[O any] struct {
	When func(O, *Happening) bool
	Do   func(O, *Happening) error
}

// Follow carries out a consequence, and says what came of it for the result of the call.
type Follow[O any] func(O, *Happening) (Outcome, error)

// Across is a consequence that is carried out for each of the handoffs that Of finds for the record to which something
// happened. Those that ended are passed over, unless Ended says otherwise.
type Across[O any] struct {
	Of    func(now *store.Record) store.Index
	Each  func(o O, r, now *store.Record) error
	Ended bool
}

// hooks are the [Hooks] of one operation.
type hooks interface {
	before(*Happening) error
	after(*Happening) error
	due(Timer, *store.Record) error
	follows(life.Consequence, *Happening) (Outcome, error)
	across(life.Consequence, *Happening) (others store.Index, ended bool)
	acrossEach(c life.Consequence, r, now *store.Record) error
	resumed(*Happening, store.Debt) error
	lapsed() (enough bool)
	cut(*store.Record) (changed bool)
	seen(client schemas.Agent) error
	why(life.Action, *store.Record) error
	refused(context.Context)
}

// bound are hooks with the operation that they are for.
type bound[O any] struct {
	*Hooks[O]
	of O
}

func (b bound[O]) before(h *Happening) error { return b.apply(b.Before, h) }
func (b bound[O]) after(h *Happening) error  { return b.apply(b.After, h) }

func (b bound[O]) apply(rules []Rule[O], h *Happening) error {
	for _, rule := range rules {
		if !rule.When(b.of, h) {
			continue
		}
		if err := rule.Do(b.of, h); err != nil {
			return err
		}
	}
	return nil
}

// follows carries out a consequence. One that nobody knows is a fault of this program: the error undoes the operation.
func (b bound[O]) follows(c life.Consequence, h *Happening) (Outcome, error) {
	do := b.Follows[c]
	if do == nil {
		return Outcome{}, fmt.Errorf("nobody knows how to %s", c)
	}
	return do(b.of, h)
}

func (b bound[O]) across(c life.Consequence, h *Happening) (others store.Index, ended bool) {
	return b.Across[c].Of(h.Now), b.Across[c].Ended
}

func (b bound[O]) acrossEach(c life.Consequence, r, now *store.Record) error {
	return b.Across[c].Each(b.of, r, now)
}

func (b bound[O]) due(t Timer, r *store.Record) error       { return b.Due[t](b.of, r) }
func (b bound[O]) resumed(h *Happening, d store.Debt) error { return b.Resumed(b.of, h, d) }
func (b bound[O]) lapsed() bool                             { return b.Lapsed(b.of) }
func (b bound[O]) cut(r *store.Record) bool                 { return b.Cut(b.of, r) }
func (b bound[O]) seen(client schemas.Agent) error          { return b.Seen(b.of, client) }
func (b bound[O]) why(a life.Action, r *store.Record) error { return b.Why(b.of, a, r) }
func (b bound[O]) refused(ctx context.Context)              { b.Refused(b.of, ctx) }
