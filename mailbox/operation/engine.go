// Package operation runs each operation of the mailbox in one transaction. It applies changes that are due by time,
// finds a record, and checks the action against the table of package life. Then it commits the record with its event,
// and carries out the consequences.
//
// [Engine.Update] runs an operation; [Op.Commit] stores a change. Package mailbox defines the operations and implements
// [Rules], which the engine calls. Package operation does not import package mailbox. Consequences are in cascade.go,
// time in clock.go, repeated calls in idempotency.go, and leases in lease.go.
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

// Config holds the parts that operations use. All fields are required.
type Config struct {
	Store  *store.Store
	Now    func() time.Time
	NewID  func(prefix string) string // makes ids that cannot be guessed
	Limits schemas.Limits
	Logger *slog.Logger
	Hub    *longpoll.Hub     // wakes waiters
	Here   sessions.Presence // agents and connections that are present
	Leases Leases
}

// An Engine runs the operations of one workspace. It starts no goroutine, and its methods may be called concurrently.
type Engine struct {
	Config
	rules  func(*Op) Rules
	latest atomic.Int64 // time of the last operation, in milliseconds; zero before the first, see [Engine.clockWasSetBack]
}

// New makes an engine. The engine calls the function rules once for each run of a transaction, because each operation
// has its own [Rules] value.
func New(c Config, rules func(*Op) Rules) *Engine { return &Engine{Config: c, rules: rules} }

// Update runs one operation that may change something. First it applies the changes that are due by time, so that fn
// judges the current state. Then it runs fn. Last it carries out the consequences of all changes. The three steps are
// committed together or not at all.
//
// The store may run the transaction more than once, so fn assigns its results at its start and changes nothing outside
// of the transaction. An error of fn undoes everything. If fn passes an error to [Op.CommitWithError] instead, Update
// commits and then returns that error. All errors have a code, see [ErrorWithCode].
//
// When Update returns nil, all writes are on disk. If the process dies before that, the caller repeats the call. With a
// request id the caller then gets the committed result, see [UpdateForCaller].
//
// After the commit Update wakes the waiting calls. It wakes the calls also after a failed commit, because the store may
// have kept the transaction. If the consequences are too many for one transaction, Update carries out the rest in
// further transactions before it returns, see [Engine.ApplyDueChanges].
func (e *Engine) Update(ctx context.Context, by schemas.Caller, fn func(*Op) error) error {
	return e.UpdateWithoutDue(ctx, by, func(o *Op) error {
		if err := o.applyDueChanges(); err != nil {
			return err
		}
		o.visitsLeft = MaxVisitedHandoffs
		return fn(o)
	})
}

// UpdateWithoutDue is [Engine.Update] without the changes that are due by time.
func (e *Engine) UpdateWithoutDue(ctx context.Context, by schemas.Caller, fn func(*Op) error) error {
	leases := e.Leases.AtNow()
	var o *Op
	err := e.Store.Update(ctx, func(tx *store.Tx) (err error) {
		o = &Op{env: e, By: by, Now: leases.Now, Leases: leases, visitsLeft: MaxVisitedHandoffs}
		o.useTransaction(tx)
		o.Rules = e.rules(o)
		if o.last, err = tx.EventCount(); err != nil {
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
	if o != nil && o.wrote && !o.skipAnnouncement {
		e.Hub.Announce(o.wakes) // also after an error: the store may have kept a failed commit
	}
	if err != nil {
		if o != nil {
			o.Rules.AfterUndo(ctx)
		}
		return ErrorWithCode(err)
	}
	if !o.moreToCut {
		e.latest.Store(int64(store.TimeOf(o.Now)))
	}
	e.Here.ForgetClaims(o.voided...)
	if o.deferred && by.Via != schemas.ViaClock {
		e.TryApplyDueChanges(ctx)
	}
	return o.refusal
}
