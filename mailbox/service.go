// Package mailbox holds the rules of passing work between agents: what may be done to a handoff, by whom, and what
// follows. Begin with [Service.Send], [Service.Claim] and [Service.Complete]; the states and actions of a handoff are
// in package life.
//
// A method of [Service] is one operation, or several when it waits. Package operation runs it in one transaction of the
// store: it applies what the clock has changed, checks an action against the table of package life, commits the record
// together with the event that the registry keeps, and carries out what follows from that. What this package adds to an
// operation that it does not begin itself is in one list (hooks.go).
//
// What is no operation has a room of its own. Package waiting decides whom mail wakes, presence knows who is here, names
// which session has which name, and sessions who acts under a name. Package offer says what an agent may take, and
// delivery what a session is told. Package card makes the card of an agent, and roster says who qualifies. Package draft
// checks and encodes what a sender wrote, compose makes what a handoff says, and contract compares a completion with
// what was asked for. Package listing makes the rows of a list, overview finds what needs a person, and reading puts
// together what is kept of a handoff, with brief and draw for agents and people.
// Packages connections, keeping, tokens and registry have operations of their own, which [Service] embeds: connections
// come and go, texts are taken out, tokens are kept, and the events are read back and proved.
//
// # What may be relied on
//
// A handoff has one holder at most. A claim makes every earlier token void in the transaction that gives the new one,
// and the store runs one writing transaction at a time.
//
// A handoff ends once. No action opens it again; work that goes on is a new handoff, which the old record names.
//
// What was acknowledged is on disk, together with everything that follows from it, or with a note on the record of what
// still has to follow. There is no moment at which a crash leaves an action without its event, an event without its
// action, or a dependent that nobody will ever free.
//
// A call may be repeated. With the same request id it takes effect once; without one, each method says what happens.
//
// Memory of a process decides nothing that could not be decided again without it. Who waits, who is here, when a holder
// was last heard of and how long the machine slept are known only to the process that owns the store. When it ends, the
// next one gives everybody time to show that they are there before it takes anything from them.
//
// A damaged record stops nothing but itself: whatever goes through many handoffs logs it and goes on.
//
// # Time
//
// Truth needs no sweeper. A lease or a deadline is over because the time is past it, judged when somebody looks.
// Renewal works the same way: when a lease ends, the operation that notices asks for the connection that claimed; while
// it is open, the lease goes on.
//
// # Decisions
//
// A result counts although the lease ended, as long as nobody else claimed. A newer claim makes a token void, and so
// does giving the claim back. Time alone makes none void, because finished work that is thrown away helps nobody. A
// result that comes after the next claim is kept with the handoff, eight at most, and changes no state: another agent
// may be at work on it, or have finished it.
//
// A message (type "message") makes no record and cannot be claimed: nobody owes anything for it. It is a notice.
//
// Work that nobody takes gets another address and does not end. It stays pending under its id, so whatever waits for
// it goes on waiting (due.go).
//
// An agent that rejects work may name another agent. The work goes there by itself if that agent is known and here,
// accepts the type, and neither sent nor rejected the work; else the sender decides. Whoever rejected the work is
// excluded from what goes on with it, so no loop comes of it (release.go).
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

// Config wires a [Service]. Store, Now and NewID are required; the zero value of the others means what stands beside
// them. The service does not close the store.
type Config struct {
	// Store keeps everything that outlives the process. Whoever made it closes it, after all calls of the service have
	// ended.
	Store *store.Store

	// Now is the only clock. One time is taken per operation, before its transaction, so all that an operation writes
	// has the same time however often the transaction runs.
	Now func() time.Time

	// Awake is how long the machine has been awake since some fixed moment: it stands still while the machine
	// sleeps. Nil means that it never sleeps.
	Awake func() time.Duration

	// NewID makes an id that nobody can guess, as "ct_k3v9..." for the prefix "ct". Claim tokens and salts are made
	// with it, so whoever could guess one could finish another's work or prove erased content.
	NewID func(prefix string) string

	// Alone tells that nobody will announce a connection that an earlier service knew: all who had one ended with it.
	// Otherwise connections that this service does not know may be announced yet, and their claims and names are left
	// alone for as long as that may take.
	Alone bool

	// Limits are what a task, a title, a handoff, a mailbox and a chain may grow to. Zero fields have their defaults.
	Limits schemas.Limits

	Lease    time.Duration // silence after which a claim ends, default 15 minutes
	LeaseMax time.Duration // longest silence that an open connection covers, default 2 hours

	// Failed tells why the last commit of the store could not be kept, nil if it was. A nil function means that nobody
	// knows. [registry.Registry.Head] tells it.
	Failed func() error

	// Commits tells how long commits of the store took, for [registry.Registry.Stats]. Nil means that nobody measures it.
	Commits func() schemas.Latency

	// WriteFile writes the store as it is now into a file that exists, for [registry.Registry.Backup]. Nil means that
	// the store is in no file.
	WriteFile func(ctx context.Context, path string) error

	// Free is how many bytes of its file the store does not use, for [keeping.Keeping.Retain]. Nil means that nobody knows.
	Free func() int64

	Logger *slog.Logger // default: discards
}

// Service is the mailboxes of one workspace and the rules of passing work between them. Its methods may be called
// concurrently. The caller of each is who the transport proved it to be, see [schemas.Caller]; package tools has
// checked its scope and the schema of the arguments.
//
// It has the methods of [registry.Registry] as well. They read back what happened, and write no event but of what the
// clock has changed.
//
// A method that changes something does so in one transaction. First it applies what the clock has changed, for 256
// handoffs at most; then it changes the record; then it carries out what follows from that, see [life.ConsequencesOf]. All of
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
//
// A service is made for one workspace and lives as long as its process. It starts no goroutine: what has to happen
// later is due in the store, and whoever calls or waits next applies it.
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

// env is what an operation has of the service. It has neither the store nor the engine, so no method of an operation
// reads past its transaction, or begins another inside of it.
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

// New makes a service over a store, which has to be the only one over it: who waits and who is here is memory of the
// service. It neither reads nor writes the store. There is nothing to close; calls that are under way end with their
// contexts.
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
