// Package mailbox holds the rules of passing work between agents: which agent may take which action on a handoff, and
// with which consequences. Begin with [Service.Send], [Service.Claim] and [Service.Complete]; the states and actions of
// a handoff are in package life.
//
// A method of [Service] is one operation, or several when it waits. Package operation runs it in one transaction of the
// store: it applies due changes, checks an action against the table of package life, commits the record together with
// its event in the registry, and carries out the consequences. The hooks that this package adds to every operation are
// in one list (hooks.go).
//
// Work other than operations is in packages of its own. Package longpoll decides which waiting calls new mail wakes.
// Package presence knows the open connections, names gives each client session its name, and sessions knows which
// session acts under which name. Package offer decides which agent may take a handoff, and delivery which mail a
// session hears of. Package card makes the card of an agent, and roster finds the agents that qualify. Package draft
// checks and encodes the text of a sender, compose makes the content of a handoff, and contract compares a completion
// with its expectations. Package overlap finds holders that work on the same files. Package listing makes the rows of a
// list, overview finds handoffs that need a person, and reading collects the stored data of a handoff, with brief and
// draw for agents and people.
//
// Packages connections, keeping, tokens and registry have operations of their own, which [Service] embeds: connections
// open and close, texts are removed, tokens are kept, and the events are read back and proved.
//
// # Guarantees
//
// A handoff has one holder at most. A claim makes every earlier token void in the transaction that gives the new one,
// and the store runs one writing transaction at a time.
//
// A handoff ends once. No action opens it again. A new handoff continues the work, and the old record names it.
//
// An acknowledged action is on disk, together with all its consequences, or with a note on the record of the
// consequences that are still to come. A crash never leaves an action without its event, an event without its action,
// or a dependent that stays blocked for ever.
//
// A call may be repeated. With the same request id it takes effect once; each method documents a repetition without
// one.
//
// No decision depends on the memory of a process alone. Only the owner of the store knows the waiting calls, the open
// connections, the last sign of a holder and how long the machine slept. When it ends, the next owner gives all agents
// time to show that they are there before it takes anything from them.
//
// A damaged record stops only itself: an operation over many handoffs logs it and goes on.
//
// # Time
//
// No sweeper is needed. A lease or a deadline is over when its time is past, and each operation checks that. Renewal
// works the same way: when a lease ends, the next operation checks the connection that claimed, and while that is open,
// the lease goes on.
//
// # Decisions
//
// A result counts even after the lease ended, as long as no other agent claimed. A newer claim makes a token void, and
// so does giving the claim back. Time alone does not, because throwing finished work away helps nobody. A result that
// comes after the next claim is kept with the handoff, eight at most, and changes no state: another agent may be at
// work on it, or have finished it.
//
// A message (type "message") makes no record and cannot be claimed, because no agent owes anything for it. It is a
// notice.
//
// Unclaimed work gets another recipient and does not end. It stays pending under its id, so its dependents keep waiting
// for it (due.go).
//
// An agent that rejects work may name another agent. The work goes there by itself if that agent is known and not away,
// accepts the type, and neither sent nor rejected the work; else the sender decides. The agent that rejected the work
// is excluded from the handoff that continues it, so the work does not go round in a loop (release.go).
package mailbox

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"handoff/mailbox/connections"
	"handoff/mailbox/draft"
	"handoff/mailbox/keeping"
	"handoff/mailbox/longpoll"
	"handoff/mailbox/operation"
	"handoff/mailbox/presence"
	"handoff/mailbox/reading"
	"handoff/mailbox/registry"
	"handoff/mailbox/sessions"
	"handoff/mailbox/tokens"
	"handoff/schemas"
	"handoff/store"
)

// Config configures a [Service]. Store, Now and NewID are required; the zero value of the other fields means their
// default. The service does not close the store.
type Config struct {
	// Store keeps all data that outlives the process. Its maker closes it, after all calls of the service have ended.
	Store *store.Store

	// Now is the only clock. Each operation reads it once, before its transaction, so all its writes have the same time
	// however often the transaction runs.
	Now func() time.Time

	// Awake is how long the machine has been awake since some fixed moment: it stands still while the machine
	// sleeps. Nil means that it never sleeps.
	Awake func() time.Duration

	// NewID makes an id that cannot be guessed, such as "ct_k3v9..." for the prefix "ct". It makes claim tokens and
	// salts: with a guessed one an agent could finish another's work or prove erased content.
	NewID func(prefix string) string

	// Alone tells that no process will announce a connection of an earlier service: all these processes ended with it.
	// Otherwise connections that this service does not know may still be announced, and it leaves their claims and
	// names alone for as long as that may take.
	Alone bool

	// Limits are the limits of a task, a title, a handoff, a mailbox and a chain. Zero fields have their defaults.
	Limits schemas.Limits

	Lease    time.Duration // silence after which a claim ends, default 15 minutes
	LeaseMax time.Duration // longest silence that an open connection covers, default 2 hours

	// Failed returns the error of the last commit that the store could not keep, nil if it kept the last one. A nil
	// function means that this is not known. [registry.Registry.Head] returns it.
	Failed func() error

	// Commits returns how long commits of the store took, for [registry.Registry.Stats]. Nil means not measured.
	Commits func() schemas.Latency

	// WriteFile writes the store as it is now into an existing file, for [registry.Registry.Backup]. Nil means that the
	// store is in no file.
	WriteFile func(ctx context.Context, path string) error

	// Free returns the unused bytes of the store's file, for [keeping.Keeping.Retain]. Nil means that they are not
	// known.
	Free func() int64

	Logger *slog.Logger // default: discards
}

// Service has the mailboxes of one workspace and the rules of passing work between them. Its methods may be called
// concurrently. The caller of each is the agent or person that the transport proved, see [schemas.Caller]; package
// tools has checked its scope and the schema of the arguments.
//
// It also has the methods of [registry.Registry]. They read events back, and write no events except those for due
// changes.
//
// A method that changes the store does so in one transaction. First it applies due changes, for 256 handoffs at most;
// then it changes the record; then it carries out the consequences, see [life.ConsequencesOf]. All of it is committed
// together with the events of the registry, or none of it.
//
// Errors are *[schemas.Error]. Each method documents its codes. Every method returns unavailable if the call was cut
// off before it took effect, if the disk is full and if the store cannot be written; and internal for a fault of this
// program, with the details in the log. A refused call changed nothing, with one exception: a late outcome is kept and
// refused.
//
// A call that changes the store may carry a request id; package mcp and the commands give each of their calls one. The
// result of the call is known for 24 hours: a call with the same id gets it again and changes nothing. This holds for
// refusals that kept something, too. The remarks of the methods on repetition are about calls with another id, or none.
//
// A service is made for one workspace and lives as long as its process. It starts no goroutine: later changes are due
// in the store, and the next call or wait applies them.
type Service struct {
	env
	*connections.Connections // Attach, Detach, NameOf and NotifyNameOwner
	*tokens.Tokens           // AddToken, Denied, FindToken, ListTokens and RevokeToken
	*keeping.Keeping         // Observe, Redact and Retain
	*registry.Registry       // Audit, Backup, Changes, Check, Export, Head, RawEvents, Stats and Tree

	Now    func() time.Time // as in Config
	clock  *presence.Clock
	leases operation.Leases
	engine *operation.Engine
}

// env has the parts of the service that an operation uses. It has neither the store nor the engine, so no method of an
// operation reads outside of its transaction, or begins another one inside it.
type env struct {
	Limits schemas.Limits
	Logger *slog.Logger
	NewID  func(prefix string) string

	hub      *longpoll.Hub
	here     sessions.Here
	drafts   draft.Maker
	reader   reading.Reader
	compiled *ruleCache
}

// New makes a service over a store. It must be the only service over that store, because waiting calls and open
// connections are memory of the service. New neither reads nor writes the store. There is nothing to close; running
// calls end with their contexts.
func New(c Config) *Service {
	c.Limits = c.Limits.OrDefault()
	c.Lease, c.LeaseMax = cmp.Or(c.Lease, 15*time.Minute), cmp.Or(c.LeaseMax, 2*time.Hour)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	s := &Service{Now: c.Now, clock: presence.NewClock(c.Now, c.Awake)}
	s.env = env{Limits: c.Limits, Logger: c.Logger, NewID: c.NewID, hub: longpoll.NewHub(), compiled: &ruleCache{}}
	s.drafts = draft.Maker{Limits: c.Limits, NewID: c.NewID}
	s.here = sessions.Here{Tracker: presence.NewTracker(), Now: c.Now, Started: s.clock.Started(), Alone: c.Alone}
	s.leases = operation.Leases{Lease: c.Lease, Max: c.LeaseMax, Here: s.here, Clock: s.clock}
	s.reader = reading.Reader{
		Secret: c.NewID("frame"), Depth: c.Limits.Depth, Logger: c.Logger, LastHeard: s.leases.LastHeard,
		ConnectionGone: func(r *store.Record) bool { return s.leases.AtNow().ConnectionGone(r) },
	}
	s.engine = operation.New(operation.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Limits: c.Limits, Logger: c.Logger, Hub: s.hub, Here: s.here, Leases: s.leases,
	}, func(o *operation.Op) operation.Rules { return hooks{&op{Op: o, env: &s.env}, s.tellOverrun} })
	s.Connections, s.Tokens = &connections.Connections{Engine: s.engine}, &tokens.Tokens{Engine: s.engine}
	s.Keeping = &keeping.Keeping{Engine: s.engine, Free: c.Free}
	s.Registry = registry.New(registry.Config{
		Store: c.Store, Now: c.Now, Hub: s.hub, ApplyTime: func(ctx context.Context) { s.engine.ApplyTime(ctx) }, Sleep: s.sleep,
		Failed: c.Failed, Commits: c.Commits, WriteFile: c.WriteFile,
	})
	return s
}
