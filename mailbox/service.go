// Package mailbox holds the rules of passing work between agents: what may be done to a handoff, by whom, and what
// follows. Begin with [Service.Send], [Service.Claim] and [Service.Complete]; the states and actions of a handoff are
// in package life.
//
// A method of [Service] is one operation, or several when it waits. An operation runs in one transaction of the store
// and takes one time for it. It applies what the clock has changed (lapse.go, clock.go), checks an action against the
// table of package life (step.go, permission.go), and commits the record together with the event that the registry
// keeps (op.go). What follows from that, for the sender, for those that wait and for the work itself, is another table
// of package life, which cascade.go carries out before the transaction ends. After the commit those are woken who wait
// for mail.
//
// Truth needs no sweeper. A lease or a deadline is over because the time is past it, judged when somebody looks. Renewal
// works the same way: when a lease ends, the operation that notices asks for the connection that claimed; while it is
// open, the lease goes on.
package mailbox

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"handoff/mailbox/presence"
	"handoff/mailbox/waiting"
	"handoff/schemas"
	"handoff/store"
)

// Config wires a [Service]. Store, Now and NewID are required.
type Config struct {
	Store *store.Store

	// Now is the only clock. One time is taken per operation.
	Now func() time.Time

	// Awake is how long the machine has been awake since some fixed moment: it stands still while the machine
	// sleeps. Nil means that it never sleeps.
	Awake func() time.Duration

	// NewID makes an id that nobody can guess, as "ct_k3v9…" for the prefix "ct".
	NewID func(prefix string) string

	// Alone tells that nobody will announce a connection that an earlier service knew: all who had one ended
	// with it. Otherwise connections that this service does not know may be announced yet.
	Alone bool

	// Presence is who is here. Nil means what is announced to this service.
	Presence presence.Tracker

	Limits schemas.Limits

	Lease    time.Duration // silence after which a claim ends, default 15 minutes
	LeaseMax time.Duration // longest silence that an open connection covers, default 2 hours

	// Failed tells why the last commit of the store could not be kept. Nil means that nobody knows.
	Failed func() error

	// Commits tells how long commits of the store took, for [Service.Stats]. Nil means that nobody measures it.
	Commits func() schemas.Latency

	Logger *slog.Logger // default: discards
}

// Service is the mailboxes of one workspace and the rules of passing work between them. Its methods may be called
// concurrently. The caller of each is who the transport proved it to be, see [schemas.Caller]; package tools has
// checked its scope and the schema of the arguments.
//
// A method that changes something does so in one transaction. First it applies what the clock has changed, for 256
// handoffs at most; then it changes the record; then it carries out what follows from that, see [life.Follows]. All of
// it is committed together with the events of the registry, or none of it.
//
// Errors are *[schemas.Error]. Each method says which codes it returns for what. All of them return unavailable when
// the call was cut off before it took effect, when the disk is full and when the store cannot be written; and internal
// for a fault of this program, with the details in the log. What was refused changed nothing. The one exception is an
// outcome that comes late: it is kept, and refused.
//
// A call that changes something may carry a request id, which package mcp and the commands give each of theirs. The
// outcome of such a call is known for 24 hours: a call with the same id gets it again and changes nothing. This holds
// for refusals that kept something, too. What the methods say of repetition is about calls with another id, or none.
type Service struct {
	Config
	hub     *waiting.Hub
	clock   *presence.Clock
	endings *endings
	denials *denials
	ended   endedCount

	started time.Time
	secret  string // that no sender knows: briefs are framed with it
}

// New makes a service over a store.
func New(c Config) *Service {
	c.Limits = c.Limits.OrDefault()
	if c.Lease == 0 {
		c.Lease = 15 * time.Minute
	}
	if c.LeaseMax == 0 {
		c.LeaseMax = 2 * time.Hour
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Presence == nil {
		c.Presence = presence.NewMemory()
	}
	s := &Service{Config: c, hub: waiting.NewHub(), endings: newEndings(), denials: newDenials(), secret: c.NewID("frame")}
	s.clock = presence.NewClock(c.Now, c.Awake)
	s.started = s.clock.Begun()
	return s
}

// update runs one operation that may change something: what the clock has changed, then fn, then what follows from
// both. The store may run all of it more than once, so fn assigns its results at its start and touches nothing outside
// of the transaction. An error that fn returns undoes everything. One that it leaves with [op.refuse] is returned after
// the commit.
//
// After the commit it wakes those that wait for what changed. Where more follows than one transaction carries out, it
// goes on with that in further transactions before it returns, as far as ctx allows.
func (s *Service) update(ctx context.Context, by schemas.Caller, fn func(*op) error) error {
	now, running := s.clock.Read()
	var o *op
	err := s.Store.Update(ctx, func(tx *store.Tx) error {
		o = &op{Service: s, tx: tx, View: &tx.View, by: by, now: now, started: now.Add(-running), left: mostFollow}
		if err := o.lapse(); err != nil {
			return err
		}
		o.left = mostFollow
		if err := fn(o); err != nil {
			return err
		}
		_, err := o.follow()
		return err
	})
	if o != nil && o.wrote {
		s.hub.Announce(o.announced()) // also after an error: whether a failed commit was kept is not known
	}
	if err != nil {
		return s.coded(err)
	}
	if o.ended != 0 && s.isOpen(by.Conn) {
		s.endings.note(by.Conn, o.ended, now)
	}
	s.Presence.Forget(append(o.unheld, o.ended)...)
	if o.owing && by.Via != schemas.ViaClock {
		s.applyTime(ctx)
	}
	return o.refusal
}

// read runs one operation on a snapshot, after applying what the clock has changed. Where that cannot be
// written, what is known is shown all the same.
func (s *Service) read(ctx context.Context, fn func(*store.View) error) error {
	s.applyTime(ctx)
	return s.coded(s.Store.View(ctx, fn))
}

// catchUp applies what the clock has changed, if anything.
func (s *Service) catchUp(ctx context.Context) error {
	for more := true; more; {
		now, _ := s.clock.Read()
		due, err := s.nextDue(ctx)
		if err != nil || due.IsZero() || due.After(now) {
			return err
		}
		err = s.update(ctx, clockCaller, func(o *op) error {
			more = o.more || o.owing
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) nextDue(ctx context.Context) (due time.Time, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		due, err = v.NextDue()
		return err
	})
	return due, s.coded(err)
}

// coded turns the errors of the store into errors for callers, with the way out.
func (s *Service) coded(err error) error {
	var coded *schemas.Error
	switch {
	case err == nil, errors.As(err, &coded), errors.Is(err, errNotCompared), errors.Is(err, errLookFurther), isDryRun(err):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return schemas.Errorf(schemas.Unavailable, "the call was cut off before it took effect").
			WithHint("Nothing was done. Call again.").Because(err)
	case errors.Is(err, store.ErrFull):
		return schemas.Errorf(schemas.Unavailable, "the disk is full: %w", err).
			WithHint("Free space and call again. Nothing acknowledged was lost.")
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, fs.ErrPermission):
		return schemas.Errorf(schemas.Unavailable, "the store cannot be written: %w", err)
	case errors.Is(err, store.ErrClosed):
		return schemas.Errorf(schemas.Unavailable, "the server is shutting down: %w", err)
	case errors.Is(err, store.ErrCorrupt):
		return schemas.Errorf(schemas.Unavailable, "%w", err)
	}
	return schemas.InternalError(err)
}

var clockCaller = schemas.Caller{Agent: schemas.System, Via: schemas.ViaClock}
