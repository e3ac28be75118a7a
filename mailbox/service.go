// Package mailbox holds the rules of passing work between agents: which agent may take which action on a handoff, and
// with which consequences. Begin with [Service.Send], [Service.Claim] and [Service.Complete]. The states and actions of
// a handoff are in package life.
//
// A method of [Service] runs one operation, or several operations if it waits. Package operation runs each operation in
// one transaction of the store. It applies due changes, checks the action against the table of package life, commits
// the record together with its event, and carries out the consequences. This package adds hooks, which are functions
// that run at every change of a handoff; hooks.go lists them.
//
// Parts that are not operations are in other packages. Package longpoll decides which waiting calls are woken by new
// mail. Package presence knows the open connections, names gives each client session its name, and sessions knows which
// session acts under which name. Package offer decides which agent may take a handoff, and delivery decides which new
// mail is shown to a session. Package card makes the card of an agent, and roster finds the agents that qualify.
// Package draft checks and encodes the text of a sender, compose makes the content of a handoff, and contract compares
// a completion with its expectations. Package overlap finds holders that work on the same files. Package listing makes
// the rows of a list, and overview finds handoffs that need a person. Package reading collects the stored data of a
// handoff. Package brief makes the text of a handoff for agents, and draw makes diagrams for people.
//
// Packages connections, keeping, tokens and registry have operations of their own, and [Service] embeds their types.
// They open and close connections, remove old texts, manage tokens, and read and verify the events.
//
// # Guarantees
//
// A handoff has one holder at most. Each claim gives out a new token and makes every earlier token void, and the store
// runs one writing transaction at a time.
//
// A handoff ends once. No action opens it again. A new handoff continues the work, and the old record names the new
// handoff.
//
// When a call returns, its action and all consequences are on disk. Consequences that the server carries out later are
// named in the record. A crash never leaves an action without its event, or an event without its action.
//
// A call may be repeated. Calls with the same request id take effect once. Each method documents the effect of a
// repeated call without a request id.
//
// No agent loses a claim only because a process ends. The process that has the store open keeps three things only in
// memory: the waiting calls, the open connections and the last call of each holder. So the next process first gives all
// agents time to show that they are there, before it takes claims from them.
//
// An operation over many handoffs logs a damaged record and goes on with the other handoffs.
//
// # Time
//
// No background job applies time. Each operation first applies the changes that are overdue. For example, when the time
// of a lease is past, the next operation checks whether the connection that claimed is still open. If so, it extends
// the lease. Otherwise it ends the claim.
//
// # Decisions
//
// A result counts even after the lease ended, as long as no other agent claimed, because finished work should not be
// thrown away. A token becomes void by a newer claim, or when its claim is given back. A result that comes after the
// next claim is kept with the handoff, at most eight of them, and does not change its state.
//
// A message (type "message") makes no record and cannot be claimed, because no agent has to do it. It is a notice.
//
// If no agent claims work for some time, the server applies the option no_takers of the sender, which may name another
// recipient. The work does not end. It stays pending under its id, so its dependents keep waiting for it (due.go).
//
// An agent that rejects work may name another agent. The server sends the work to that agent if it is known and not
// away, accepts the type, and neither sent nor rejected the work. Otherwise the sender decides. The agent that rejected
// the work is excluded from the handoff that continues it, so the work cannot come back (release.go).
package mailbox

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"handoff/mailbox/connections"
	"handoff/mailbox/draft"
	"handoff/mailbox/keeping"
	"handoff/mailbox/longpoll"
	"handoff/mailbox/operation"
	"handoff/mailbox/overlap"
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

	// Now returns the current time. Each operation calls it once, before its transaction, so all writes of an operation
	// have the same time.
	Now func() time.Time

	// Awake returns how long the machine has been awake since some fixed moment. The result does not grow while the
	// machine sleeps. Nil means that the machine never sleeps.
	Awake func() time.Duration

	// NewID makes an id that cannot be guessed, such as "ct_k3v9..." for the prefix "ct". The ids are claim tokens and
	// salts. With a guessed token an agent could finish the work of another agent, and with a guessed salt it could
	// prove content that was erased.
	NewID func(prefix string) string

	// Alone says that all clients of earlier services have ended, so none of their connections can come back. If Alone
	// is false, the service waits for some time before it takes the claims and names of old connections, because a
	// relay may still announce such a connection.
	Alone bool

	// Limits are the largest sizes of a task, a title, a handoff and a mailbox, and the greatest length of a chain of
	// parents. A zero field means its default.
	Limits schemas.Limits

	Lease    time.Duration // silence after which a claim ends, default 15 minutes
	LeaseMax time.Duration // longest silence that an open connection covers, default 2 hours

	// Failed returns the error of the last commit if the store could not keep that commit, otherwise nil. A nil
	// function means that the service cannot know it. [registry.Registry.Head] returns the error.
	Failed func() error

	// Commits returns how long commits of the store took, for [registry.Registry.Stats]. Nil means that nobody measures
	// commits.
	Commits func() schemas.LatencyHistogram

	// WriteFile writes a copy of the store into an existing file, for [registry.Registry.Backup]. Nil means that the
	// store is not in a file.
	WriteFile func(ctx context.Context, path string) error

	// Free returns the number of unused bytes in the store's file, for [keeping.Keeping.Retain]. Nil means that the
	// number is not known.
	Free func() int64

	Logger *slog.Logger // default: discards
}

// Service has the mailboxes of one workspace and the rules of passing work between them. Its methods may be called
// concurrently. The caller of a method is the agent or person that the transport proved, see [schemas.Caller]. Package
// tools has checked the scope of the caller and the schema of the arguments. Service also has the methods of
// [registry.Registry], which read events.
//
// A method that changes the store does so in one transaction. First it applies due changes, to 256 handoffs at most.
// Then it changes the record. Then it carries out the consequences, see [life.ConsequencesOf]. All of this is committed
// together with the events of the registry, or nothing.
//
// Errors are *[schemas.Error]. Each method documents its codes. Every method returns unavailable if the call was cut
// off before it took effect, or if the store cannot be written. It returns internal for a fault of this program, with
// the details in the log. A refused call has changed nothing, with one exception: a late outcome is kept.
//
// A call that changes the store may carry a request id. Package mcp and the commands give each of their calls a request
// id. The result is kept for 24 hours. A call with the same id gets the result again and changes nothing, even if the
// result was a refusal that kept a late outcome. The remarks on repetition at the methods are about calls with another
// request id, or with none.
//
// A service lives as long as its process, and starts no goroutine. The store knows when changes are due. The next call,
// or a call that waits, applies them.
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

	lostOffered atomic.Bool // see offerLostWork
}

// env has the parts of the service that an operation uses. It has neither the store nor the engine, so that an
// operation cannot read outside of its transaction or begin a second transaction.
type env struct {
	Limits schemas.Limits
	Logger *slog.Logger
	NewID  func(prefix string) string

	hub      *longpoll.Hub
	here     sessions.Presence
	drafts   draft.Maker
	reader   reading.Reader
	compiled *ruleCache
	overlaps *overlap.Recorder
}

// New makes a service over a store. It must be the only service over that store, because each service keeps its waiting
// calls and open connections only in memory. New neither reads nor writes the store. A service need not be closed.
// Running calls end with their contexts.
func New(c Config) *Service {
	c.Limits = c.Limits.OrDefault()
	c.Lease, c.LeaseMax = cmp.Or(c.Lease, 15*time.Minute), cmp.Or(c.LeaseMax, 2*time.Hour)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	s := &Service{Now: c.Now, clock: presence.NewClock(c.Now, c.Awake)}
	s.env = env{Limits: c.Limits, Logger: c.Logger, NewID: c.NewID, hub: longpoll.NewHub(), compiled: &ruleCache{}, overlaps: &overlap.Recorder{}}
	s.drafts = draft.Maker{Limits: c.Limits, NewID: c.NewID}
	s.here = sessions.Presence{Tracker: presence.NewTracker(), Now: c.Now, Started: s.clock.Started(), Alone: c.Alone}
	s.leases = operation.Leases{Lease: c.Lease, Max: c.LeaseMax, Here: s.here, Clock: s.clock}
	s.reader = reading.Reader{
		Secret: c.NewID("frame"), Depth: c.Limits.Depth, Logger: c.Logger, LastHeard: s.leases.HolderLastHeard,
		IsConnectionGone: func(r *store.Record) bool { return s.leases.AtNow().IsConnectionGone(r) },
	}
	s.engine = operation.New(operation.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Limits: c.Limits, Logger: c.Logger, Hub: s.hub, Here: s.here, Leases: s.leases,
	}, func(o *operation.Op) operation.Rules {
		return &op{Op: o, env: &s.env, tellExceededLimit: s.tellHumanOfExceededLimit}
	})
	s.Connections, s.Tokens = &connections.Connections{Engine: s.engine}, &tokens.Tokens{Engine: s.engine}
	s.Keeping = &keeping.Keeping{Engine: s.engine, Free: c.Free}
	s.Registry = registry.New(registry.Config{
		Engine: s.engine, Sleep: s.sleepUntilChange, Failed: c.Failed, Commits: c.Commits, WriteFile: c.WriteFile,
	})
	return s
}
