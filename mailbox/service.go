// Package mailbox holds the rules of passing work between agents: which agent may take which action on a handoff, and
// with which consequences. Begin with [Service.Send], [Service.Claim] and [Service.Complete]; the states and actions of
// a handoff are in package life.
//
// A method of [Service] runs one operation, or several if it waits. Package operation runs each operation in one
// transaction of the store: it applies due changes, checks an action against the table of package life, commits the
// record together with its event in the registry, and carries out the consequences. The functions that this package
// adds to every change of a handoff (hooks) are listed in hooks.go.
//
// Parts that are not operations are in other packages. Package longpoll decides which waiting calls are woken by new
// mail. Package presence knows the open connections, names gives each client session its name, and sessions knows which
// session acts under which name. Package offer decides which agent may take a handoff, and delivery decides which new
// mail is shown to a session. Package card makes the card of an agent, and roster finds the agents that qualify.
// Package draft checks and encodes the text of a sender, compose makes the content of a handoff, and contract compares
// a completion with its expectations. Package overlap finds holders that work on the same files. Package listing makes
// the rows of a list, and overview finds handoffs that need a person. Package reading collects the stored data of a
// handoff; brief makes the text of it that an agent reads, and draw makes diagrams for people.
//
// Packages connections, keeping, tokens and registry have operations of their own, and [Service] embeds their types.
// They open and close connections, remove old texts, manage tokens, and read and prove the events.
//
// # Guarantees
//
// A handoff has one holder at most. The transaction of a claim gives out a new token and makes every earlier token
// void, and the store runs one writing transaction at a time.
//
// A handoff ends once. No action opens it again. A new handoff continues the work, and the old record names it.
//
// An acknowledged action is on disk, together with all its consequences, or the record names the consequences that the
// server still has to carry out. A crash never leaves an action without its event, an event without its action, or a
// dependent that stays blocked for ever.
//
// A call may be repeated. Calls with the same request id take effect once; each method documents what a repeated call
// without a request id does.
//
// No decision depends only on the memory of a process. The waiting calls, the open connections, the last sign of each
// holder and the time that the machine slept are known only to the process that has the store open. When that process
// ends, the next one gives all agents time to show that they are there before it takes a claim from them.
//
// A damaged record stops only itself: an operation over many handoffs logs it and goes on.
//
// # Time
//
// No sweeper is needed. A lease or a deadline is over when its time is past, and each operation first applies what is
// over. Leases are renewed in the same way: when the time of a lease is past, the next operation checks whether the
// connection that claimed is still open, and if so, it extends the lease.
//
// # Decisions
//
// A result counts even after the lease ended, as long as no other agent claimed. A token becomes void by a newer claim,
// or when its claim is given back. The end of the lease alone does not make it void, because finished work should not
// be thrown away. A result that comes after the next claim is kept with the handoff, at most eight of them, and does
// not change its state: another agent may be at work on it, or have finished it.
//
// A message (type "message") makes no record and cannot be claimed, because no agent has to answer or do it. It is a
// notice.
//
// If no agent claims work for some time and its sender wants another recipient then, the work gets that recipient and
// does not end. It stays pending under its id, so its dependents keep waiting for it (due.go).
//
// An agent that rejects work may name another agent. The server sends the work to that agent if it is known and not
// away, accepts the type, and neither sent nor rejected the work; otherwise the sender decides. The agent that rejected
// the work is excluded from the handoff that continues it, so the work cannot come back to it again and again
// (release.go).
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
	// Store keeps all data that outlives the process. The caller of [New] closes it, after all calls of the service
	// have ended.
	Store *store.Store

	// Now is the only clock. Each operation reads it once, before its transaction, so all its writes have the same time
	// however often the transaction runs.
	Now func() time.Time

	// Awake returns how long the machine has been awake since some fixed moment. The result does not grow while the
	// machine sleeps. Nil means that the machine never sleeps.
	Awake func() time.Duration

	// NewID makes an id that cannot be guessed, such as "ct_k3v9..." for the prefix "ct". It makes claim tokens and
	// salts: with a guessed token an agent could finish the work of another agent, and with a guessed salt it could
	// prove content that was erased.
	NewID func(prefix string) string

	// Alone tells that all clients of the service before this one have ended with it, so none of their connections can
	// come back. If it is false, a relay may still announce an old connection to this service. Until the time for that
	// is over, the service does not take the claims and names of old connections.
	Alone bool

	// Limits are the largest sizes of a task, a title, a handoff and a mailbox, and the largest length of a chain of
	// handoffs. Zero fields have their defaults.
	Limits schemas.Limits

	Lease    time.Duration // silence after which a claim ends, default 15 minutes
	LeaseMax time.Duration // longest silence that an open connection covers, default 2 hours

	// Failed returns the error of the last commit if the store could not keep that commit, else nil. A nil function
	// means that this is not known. [registry.Registry.Head] returns it.
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
// It also has the methods of [registry.Registry]. They read events. They write none, except the events of due changes.
//
// A method that changes the store does so in one transaction. First it applies due changes, to 256 handoffs at most;
// then it changes the record; then it carries out the consequences, see [life.ConsequencesOf]. Either all of this is
// committed, together with the events of the registry, or nothing.
//
// Errors are *[schemas.Error]. Each method documents its codes. Every method returns unavailable if the call was cut
// off before it took effect, if the disk is full and if the store cannot be written; and internal for a fault of this
// program, with the details in the log. A refused call has changed nothing, with one exception: a late outcome is kept,
// and the call is refused.
//
// A call that changes the store may carry a request id; package mcp and the commands give each of their calls one. The
// result of the call is kept for 24 hours: a call with the same id gets the result again and changes nothing. This is
// also so if the result is a refusal that kept a late outcome. The remarks on repetition at the methods are about
// repeated calls with another request id, or with none.
//
// A service is made for one workspace and lives as long as its process. It starts no goroutine: the store knows when
// changes are due, and the next call, or a call that waits, applies them.
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

// env has the parts of the service that an operation uses. It has neither the store nor the engine, so that a method of
// an operation cannot read outside of its transaction, or begin a second transaction inside of it.
type env struct {
	Limits schemas.Limits
	Logger *slog.Logger
	NewID  func(prefix string) string

	hub      *longpoll.Hub
	here     sessions.Presence
	drafts   draft.Maker
	reader   reading.Reader
	compiled *ruleCache
}

// New makes a service over a store. It must be the only service over that store, because each service keeps its waiting
// calls and open connections only in memory. New neither reads nor writes the store. There is nothing to close; running
// calls end with their contexts.
func New(c Config) *Service {
	c.Limits = c.Limits.OrDefault()
	c.Lease, c.LeaseMax = cmp.Or(c.Lease, 15*time.Minute), cmp.Or(c.LeaseMax, 2*time.Hour)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	s := &Service{Now: c.Now, clock: presence.NewClock(c.Now, c.Awake)}
	s.env = env{Limits: c.Limits, Logger: c.Logger, NewID: c.NewID, hub: longpoll.NewHub(), compiled: &ruleCache{}}
	s.drafts = draft.Maker{Limits: c.Limits, NewID: c.NewID}
	s.here = sessions.Presence{Tracker: presence.NewTracker(), Now: c.Now, Started: s.clock.Started(), Alone: c.Alone}
	s.leases = operation.Leases{Lease: c.Lease, Max: c.LeaseMax, Here: s.here, Clock: s.clock}
	s.reader = reading.Reader{
		Secret: c.NewID("frame"), Depth: c.Limits.Depth, Logger: c.Logger, LastHeard: s.leases.LastHeard,
		IsConnectionGone: func(r *store.Record) bool { return s.leases.AtNow().IsConnectionGone(r) },
	}
	s.engine = operation.New(operation.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Limits: c.Limits, Logger: c.Logger, Hub: s.hub, Here: s.here, Leases: s.leases,
	}, func(o *operation.Op) operation.Rules {
		return hooks{&op{Op: o, env: &s.env}, s.tellHumanOfExceededLimit}
	})
	s.Connections, s.Tokens = &connections.Connections{Engine: s.engine}, &tokens.Tokens{Engine: s.engine}
	s.Keeping = &keeping.Keeping{Engine: s.engine, Free: c.Free}
	s.Registry = registry.New(registry.Config{
		Store: c.Store, Now: c.Now, Hub: s.hub, ApplyTime: func(ctx context.Context) { s.engine.TryApplyDueChanges(ctx) }, Sleep: s.sleepUntilChange,
		Failed: c.Failed, Commits: c.Commits, WriteFile: c.WriteFile,
	})
	return s
}
