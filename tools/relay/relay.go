// Package relay lets many processes share one store. Each process opens a [Relay] and calls tools through it as if it
// had the store to itself. The packages below do not know that other processes exist.
//
//	process ── Relay ── route ─┬─ the store, in the process that holds the lock: the owner
//	                           └─ the owner's socket, in all other processes
//
// The process that gets the file lock owns the store and serves the others (election.go, owner.go). The others find it
// (connect.go) and forward their calls to it (client.go). Nothing has to be started first. A process that stays (one
// that runs for long, such as a server, see [Config]) waits for the lock in the kernel. So when the owner ends, even by
// kill -9, one of the waiting processes becomes the owner within milliseconds. An owner whose files are removed or
// replaced gives the store up (files.go).
//
// If the end of an owner cuts off a call, the process of the caller repeats the call at the next owner under the same
// request id. The store keeps a receipt of this id, so the call takes effect once. A repeated long poll has the time of
// its first attempt, and so keeps its place among the waiting calls. A stream of changes continues at the next owner
// after the last event that it yielded. Each process announces its open connections to each new owner (connections.go).
//
// A command that may only read the files, as in a sandbox, needs no owner to read: see [readOnlyTenure]. Calls to an
// owner need no right to write.
//
// Only the process that holds the lock on the file handoff.lock is the owner. The file owner.json (the note) has the
// address of the owner. The note of a process that does not hold the lock means nothing. The kernel frees the lock when
// its process ends, and never because of a timeout. So a slow or stopped owner stays the owner.
//
// The steps of a takeover, in this order:
//
//   - The owner ends, gives the store up, or is killed. Its sockets close, and the kernel frees the lock.
//   - Calls that the owner was running break. Each process keeps its own calls, and looks for the next owner.
//   - The kernel gives the lock to one of the waiting processes. A command does not wait: it takes the lock only if the
//     lock is free and no owner answers.
//   - The new owner listens and writes its note. Calls that arrive now wait until the store is open.
//   - The new owner opens the store and announces its own open connections. Each other process announces its
//     connections when it reaches the new owner, before it sends calls.
//   - The new owner answers calls. Broken calls arrive again with their ids, and long polls with their start times.
//
// Every call has an id, and a call that is repeated under its id takes effect once: the receipt of the id is written in
// the transaction of the change. If the owner died before the commit, the repeated call takes effect at the next owner.
// If the owner died after the commit, the repeated call gets the stored result. Opening a connection is the exception:
// each new owner gets this call under a new id. Closing a connection a second time does nothing.
//
// When the owner dies, callers notice only a pause, usually of some milliseconds. If no owner can be reached for five
// seconds, the call ends with [schemas.Unavailable] and may be repeated. An owner that does not answer keeps the store.
// After four to five seconds its calls end with unavailable. The error names the process of the owner, and says that a
// call that the owner had begun may still take effect.
//
// Errors of this package are *[schemas.Error] of code unavailable, with a hint that tells a person what to do. Errors
// of tools are returned unchanged.
//
// # Decisions
//
// bbolt lets only one process at a time open the file. If each process opened the file for each of its calls, calls of
// several processes could not share a commit, and no process could wake a waiting call of another.
//
// An owner listens before it opens the store, because opening may take seconds if the former owner was killed. A
// process of a newer program asks the owner to give the store up, and waits for the lock. A build without a version, as
// by go run, asks an owner only if the owner is a command. A build from a clone has the version of its commit.
//
// Each process that stays holds a shared lock on the file handoff.here. If a new owner finds no other holder of this
// lock, all earlier connections are gone. So after a crash a client session gets its name and its claims back at once.
package relay

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// Config describes the store to share. Dir, Open and Now are required.
//
// [Open] reads it once; nothing in it changes later. Processes that share a workspace give the same Dir and Files.
// Their Version, Stays and Runtime may differ.
type Config struct {
	Name string // of the workspace, for errors
	Dir  string // directory of its files; it is made, for this user only, if it does not exist

	// Runtime is a directory for sockets whose path in Dir would be too long: XDG_RUNTIME_DIR. If Runtime is empty and
	// the path in Dir is too long, the owner listens on a port of the loopback interface.
	Runtime string

	// Open opens the store in this process. It is called with the lock held, and once for each time that this process
	// becomes the owner. Its errors are *[schemas.Error] and are returned to the calls that wait. Other processes also
	// use the opened store, until it is closed. Alone says that no other process that stays uses the workspace, so no
	// process will announce connections that an earlier owner knew.
	Open func(ctx context.Context, alone bool) (Store, error)

	// Files are the paths of the files that Open opens. If one is removed or replaced while this process owns the
	// store, this process closes the store and looks for the owner anew.
	Files []string

	// Election decides which process owns the store. Nil means the lock of a file in Dir.
	Election Election

	// Stays is true for a process that runs for long, such as a server, and false for a command. A process that stays
	// waits for the lock while another process owns the store. A command becomes the owner only if there is no owner.
	// It gives the store up to the first process that stays and whose program is not older.
	Stays bool

	// Version is the semantic version of this program. A newer program takes the store over from an older program. A
	// text that is no semantic version, as from a build of a working tree, is neither newer nor older than any version.
	Version string

	Now    func() time.Time
	Logger *slog.Logger // default: discards
}

// Store is an open store with its rules.
//
// It is [handoff/tools.LocalInvoker] over an open store. A call that Close cuts off returns unavailable. If the process
// has stopped being the owner, this package does not return that error, but repeats the call at the next owner.
type Store interface {
	tools.Invoker

	// Close writes and closes the store. It may be called twice.
	Close() error
}

// Relay is one process's access to the store. It is safe for use by many goroutines. Use [Open].
//
// Before the first call and between two owners it has no route. Otherwise it has a route to another process, or it is
// itself the owner. A call that finds no route begins a search, or joins the running search.
type Relay struct {
	config   Config
	election Election
	life     context.Context // ends with Close
	end      context.CancelFunc
	work     sync.WaitGroup // goroutines that Close waits for

	mu            sync.Mutex // guards the fields below
	closed        bool
	queued        bool                  // a goroutine waits for the lock
	opening       bool                  // the lock is held, the store is not open yet
	pendingResign func()                // gives the store up once it is open; nil without a request for it
	owner         *owner                // nil in all processes but one
	route         *route                // destination of calls; nil before the first call
	refused       error                 // why the store could not be opened, for the search under way
	changed       chan struct{}         // closed and replaced when one of the above changes
	searching     *routeSearch          // under way; nil for none
	backoff       int                   // how often to look for another owner before taking the lock again
	reconnecting  bool                  // a goroutine looks for an owner because connections are open
	connections   map[string]tools.Call // connections of this process, with the call that opened each
}

var _ tools.Invoker = (*Relay)(nil)

// Open prepares the directory of a workspace. It does not open the store: the first call finds the owner, or opens the
// store. So a server starts even if the store is not available at that moment. The relay uses the values of ctx, but
// the end of ctx does not close the relay. Errors are *[schemas.Error].
//
// It makes the file handoff.here, and sets the mark of this process there if the process stays. The error is
// unavailable if the directory cannot be made or read, or is on a network file system. The exception is a process
// that stays: Open does not return this error to it. Instead each call prepares the directory again, and returns the
// error if that fails. Open is called once for each process and workspace: a second relay of the same process shares
// nothing with the first, and reaches it like another process.
func Open(ctx context.Context, c Config) (*Relay, error) {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	r := &Relay{config: c, election: c.Election, changed: make(chan struct{}), connections: map[string]tools.Call{}}
	if r.election == nil {
		r.election = &fileElection{config: c}
	}
	if err := r.election.Prepare(); err != nil && !c.Stays {
		return nil, err
	} else if err != nil {
		c.Logger.WarnContext(ctx, "calls will fail", slog.Any("error", err))
	}
	r.life, r.end = context.WithCancel(context.WithoutCancel(ctx))
	return r, nil
}

// errMoved means that a call got no result because its owner ended. The call is repeated at the next owner.
var errMoved = errors.New("the owner of the store has changed")

// Invoke runs a tool at the owner of the store. While the owner changes, the call waits for the next one, at most
// [searchLimit]. A call without an id gets one, so that it can be repeated and still takes effect once. Errors are
// *[schemas.Error]: the errors of the tool, and [schemas.Unavailable] if no owner could be reached.
//
// The end of ctx ends the call with code unavailable, but a call that was already sent may take effect. A call may move
// to another owner any number of times, because each move needs an owner that ended. A wait of a tool may be as long as
// the tool allows: the limit of five seconds is only for finding an owner.
func (r *Relay) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.ID == "" {
		c.ID = r.newID()
	}
	if c.Since.IsZero() {
		c.Since = r.config.Now()
	}
	if c.Tool == closeTool {
		defer r.forgetConnection(c)
	}
	for {
		to, err := r.connect(ctx)
		if err != nil {
			return nil, err
		}
		if c.Tool == openTool {
			r.rememberConnection(c)
		}
		out, err := to.invoke(ctx, c)
		if c.Tool == openTool && err != nil && !errors.Is(err, errMoved) {
			r.forgetConnection(c) // it was refused
		}
		if !errors.Is(err, errMoved) {
			return out, err
		}
		to.lose(errMoved)
	}
}

func (r *Relay) newID() string { return tools.NewRequestID(r.config.Now(), rand.Reader) }

// Changes yields the events after a number and waits for more. When the owner ends, it goes on at the next one; no
// event is left out or yielded twice. An error is yielded once, last.
//
// It pauses while the owner changes, and follows as long as ctx lasts. The error is unavailable if no owner was
// found, or it comes from the store.
func (r *Relay) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(yield func(schemas.RegistryChange, error) bool) {
		for {
			from, err := r.connect(ctx)
			if err != nil {
				yield(schemas.RegistryChange{}, err)
				return
			}
			for c, err := range from.changes(ctx, after) {
				if errors.Is(err, errMoved) {
					break
				}
				if !yield(c, err) || err != nil {
					return
				}
				after = c.N
			}
			from.lose(errMoved)
		}
	}
}

// Close gives the store up and waits until it is closed. Calls of other processes under way here are repeated at the
// next owner; calls of this process end with [schemas.Unavailable]. It may be called twice.
//
// Connections of this process that are open at another owner end with it, and that owner closes them. The goroutine
// that waits for the lock stays until it gets the lock, and then releases it at once; the end of the process ends it
// too. An error comes from closing the store or its files. Even then all acknowledged changes are durable.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	current := r.route
	r.mu.Unlock()
	r.end()
	if current != nil {
		current.lose(errMoved)
	}
	r.work.Wait() // before this the store may just be opening
	r.mu.Lock()
	o := r.owner
	r.owner = nil
	r.mu.Unlock()
	err := r.election.Close()
	if o != nil {
		err = errors.Join(err, o.close())
	}
	return err
}

// broadcast wakes the searches that wait for a change. It is called with mu held.
func (r *Relay) broadcast() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// FileNames returns the names of the files that the relays of a workspace keep in its directory, without the files of
// the store.
//
// They may be removed while [LockWorkspace] is held. The file handoff.new is a socket that has not got its final name
// yet.
func FileNames() []string {
	return []string{"handoff.lock", "handoff.here", "handoff.sock", "handoff.new", "owner.json", "owner.json.new"}
}
