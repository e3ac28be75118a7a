// Package operation runs one operation of the mailbox in one transaction: it applies what the clock has changed, finds a
// record, checks an action against the table of package life, commits the record with its event, and carries out what
// follows from that.
//
// It knows nothing of what the mailbox does. The mailbox takes part by its [Rules], and [Op] is all that they see of the
// transaction. Begin with [Engine.Update] and [Op.Commit]; what follows is in cascade.go, time in clock.go,
// repeated calls in idempotency.go, and how long a claim lasts in lease.go.
package operation

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"handoff/mailbox/longpoll"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Config is what operations stand on. All of it is required.
type Config struct {
	Store  *store.Store
	Now    func() time.Time
	NewID  func(prefix string) string // makes ids that nobody can guess
	Limits schemas.Limits
	Logger *slog.Logger
	Hub    *longpoll.Hub // wakes those who wait
	Here   sessions.Here // who is here
	Leases Leases
}

// An Engine runs the operations of one workspace. It starts no goroutine, and its methods may be called concurrently.
type Engine struct {
	Config
	rules  func(*Op) Rules
	latest atomic.Int64 // time of the last operation, in milliseconds; zero before the first, see [Engine.clockWasSetBack]
}

// New makes an engine. Rules gives the rules of a new operation; it is called once for each run of a transaction.
func New(c Config, rules func(*Op) Rules) *Engine { return &Engine{Config: c, rules: rules} }

// Update runs one operation that may change something: what the clock has changed, then fn, then what follows from
// both. Every method that writes goes through it, so these three are always committed together or not at all.
//
// The store may run all of it more than once, so fn assigns its results at its start and touches nothing outside of the
// transaction. An error that fn returns undoes everything. One that it leaves with [Op.Refuse] is returned after the
// commit. All errors that leave it have a code, see [Coded].
//
// When it returns without an error, what it wrote is on disk. When the process dies before that, the transaction is
// there as a whole or not at all, and the caller repeats the call: with a request id it then gets what was committed,
// see [Mutate].
//
// After the commit it wakes those that wait for what changed, also when the commit failed, since whether it was kept is
// not known then. Where more follows than one transaction carries out, it goes on with that in further transactions
// before it returns, see [Engine.runDeferred].
//
// The order within the transaction matters. What the clock has changed comes first, so that fn judges the state that
// holds now. What follows comes last, so that one cascade sees all that fn did. A read of what an earlier call with the
// same request id answered comes in between, in [Once], after the clock: so a repeat may be the call that applies what
// is due.
func (e *Engine) Update(ctx context.Context, by schemas.Caller, fn func(*Op) error) error {
	return e.Transact(ctx, by, func(o *Op) error {
		if err := o.applyDue(); err != nil {
			return err
		}
		o.spreadLeft = MaxSpread
		return fn(o)
	})
}

// Transact is [Engine.Update] without what is due.
func (e *Engine) Transact(ctx context.Context, by schemas.Caller, fn func(*Op) error) error {
	leases := e.Leases.AtNow()
	var o *Op
	err := e.Store.Update(ctx, func(tx *store.Tx) (err error) {
		o = &Op{env: e, By: by, Now: leases.Now, Leases: leases, spreadLeft: MaxSpread}
		o.useTransaction(tx)
		o.Rules = e.rules(o)
		if o.last, err = tx.Events(); err != nil {
			return err
		}
		if err := o.cutFutureTimes(); err != nil {
			return err
		}
		if err := fn(o); err != nil {
			return err
		}
		_, err = o.RunConsequences()
		return err
	})
	if o != nil && o.wrote {
		e.Hub.Announce(o.wakeups()) // also after an error: whether a failed commit was kept is not known
	}
	if err != nil {
		if o != nil {
			o.Rules.AfterUndo(ctx)
		}
		return Coded(err)
	}
	if !o.moreToCut {
		e.latest.Store(int64(store.At(o.Now)))
	}
	e.Here.Forget(o.voided...)
	if by.Via != schemas.ViaClock {
		e.runDeferred(ctx, o.deferred)
	}
	return o.refusal
}
