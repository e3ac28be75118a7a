// Package relay lets many processes share one store. Each process opens a [Relay] and calls tools through it as if it
// had the store to itself. The rules below never learn that other processes exist.
//
//	process ── Relay ── route ─┬─ the store, in the process that holds the lock: the owner
//	                           └─ the owner's socket, in all other processes
//
// The process that gets the file lock owns the store and serves the others (election.go, owner.go). The others find
// it (connect.go) and forward their calls to it (client.go). Nothing has to be started first. A process that stays
// waits for the lock in the kernel, so when the owner ends, even by kill -9, one of them takes over within
// milliseconds. An owner whose files are removed or replaced gives the store up (files.go).
//
// A call that is cut off by the end of an owner is repeated at the next owner under the same request id. The rules
// remember that id, so the call takes effect once. A wait is repeated with the time at which it was first made, and so
// keeps its place in line. Changes are followed by number and go on from any number. Connections are announced to each
// new owner, for as long as their process lives (connections.go).
package relay

import (
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

// Config says which store to share. Dir, Open and Now are required.
type Config struct {
	Name string // of the workspace, for errors
	Dir  string // where its files are; it is made, for this user only, when it does not exist

	// Runtime is a directory for sockets whose path in Dir would be too long: XDG_RUNTIME_DIR. Empty: none, and the
	// owner then listens on a port of the loopback interface.
	Runtime string

	// Open opens the store in this process. It is called with the lock held, and once for each time that this process
	// becomes the owner. Its errors are *[schemas.Error] and are returned to the calls that wait. Other processes use
	// the store too, until it is closed. Alone says that no other process that stays uses the workspace, so nobody
	// will announce connections that an earlier owner knew.
	Open func(ctx context.Context, alone bool) (Store, error)

	// Files are the paths of the files that Open opens. When one is removed or replaced while this process owns the
	// store, this process closes the store and looks for the owner anew.
	Files []string

	// Stays says that this process lives on, as a server does. It waits for the lock while another process owns the
	// store. A process that does not stay, such as a command, becomes the owner only when there is none, and gives
	// the store up to the first process that stays and is not older.
	Stays bool

	// Crowded is called with true when 256 calls of other processes are under way here, because they need memory, and
	// with false when they are down to 64. It must return at once. Nil: nobody is told.
	Crowded func(many bool)

	// Version of this program, as a semantic version. A newer program takes the store over from an older one. A
	// version that is none, as of a build from a working tree, is neither newer nor older than another.
	Version string

	Now    func() time.Time
	Logger *slog.Logger // default: discards
}

// Store is an open store with its rules.
type Store interface {
	tools.Invoker

	// Close writes and closes the store. It may be called twice.
	Close() error
}

// Relay is one process's access to the store. It is safe for use by many goroutines. Use [Open].
type Relay struct {
	config   Config
	presence *presence
	life     context.Context // ends with Close
	end      context.CancelFunc
	work     sync.WaitGroup // goroutines that Close waits for

	mu            sync.Mutex // guards the fields below
	closed        bool
	queued        bool                  // a goroutine waits for the lock
	opening       bool                  // the lock is held, the store is not open yet
	pendingResign func()                // gives the store up once it is open; nil when nobody asked for that
	owner         *owner                // nil in all processes but one
	route         *route                // where calls go; nil before the first call
	refused       error                 // why the store could not be opened, for the search under way
	changed       chan struct{}         // closed and replaced when one of the above changes
	searching     *search               // under way; nil for none
	backoff       int                   // how often to look for another owner before taking the lock again
	reconnecting  bool                  // a goroutine looks for an owner because connections are open
	held          map[string]tools.Call // connections of this process, with the call that opened each
}

var _ tools.Invoker = (*Relay)(nil)

// Open prepares the directory of a workspace. It does not open the store: the first call does, or finds the owner. So
// a server starts even when the store cannot be had at that moment. Ctx lends its values; its end does not close the
// relay. Errors are *[schemas.Error].
func Open(ctx context.Context, c Config) (*Relay, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if err := prepare(c.Dir); err != nil {
		return nil, unusableDir(c, err)
	}
	mark, err := openPresence(c.Dir)
	if err == nil && c.Stays {
		err = mark.set()
	}
	if err != nil {
		return nil, unusableDir(c, err)
	}
	r := &Relay{config: c, presence: mark, changed: make(chan struct{}), held: map[string]tools.Call{}}
	r.life, r.end = context.WithCancel(context.WithoutCancel(ctx))
	return r, nil
}

// errMoved means that a call got no result because its owner ended. The call is repeated at the next owner.
var errMoved = errors.New("the owner of the store has changed")

// Invoke runs a tool where the store is. While the owner changes, the call waits for the next one, at most
// [searchLimit]. A call without an id is given one, so that it can be repeated and still takes effect once. Errors are
// *[schemas.Error]: those of the tool, and [schemas.Unavailable] when no owner could be reached.
func (r *Relay) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.ID == "" {
		c.ID = r.newID()
	}
	if c.Since.IsZero() {
		c.Since = r.config.Now()
	}
	if c.Tool == closeTool {
		defer r.forget(c)
	}
	for {
		to, err := r.connect(ctx)
		if err != nil {
			return nil, err
		}
		if c.Tool == openTool {
			r.remember(c)
		}
		out, err := to.invoke(ctx, c)
		if c.Tool == openTool && err != nil && !errors.Is(err, errMoved) {
			r.forget(c) // it was refused
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
func (r *Relay) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		for {
			from, err := r.connect(ctx)
			if err != nil {
				yield(schemas.Change{}, err)
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

// Close gives the store up and waits until it is closed. Calls of other processes that are under way here are repeated
// at the next owner; calls of this process end with [schemas.Unavailable]. It may be called twice.
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
	o, mark := r.owner, r.presence
	r.owner, r.presence = nil, nil
	r.mu.Unlock()
	var errs []error
	if mark != nil { // before the lock, because its next holder looks which processes are there
		errs = append(errs, mark.close())
	}
	if o != nil {
		errs = append(errs, o.close())
	}
	return errors.Join(errs...)
}

// broadcast wakes the searches that wait for a change. It is called with mu held.
func (r *Relay) broadcast() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Files are the names of the files that the relays of a workspace keep in its directory. The store is not among them.
func Files() []string {
	return []string{"handoff.lock", "handoff.here", "handoff.sock", "handoff.new", "owner.json", "owner.json.new"}
}
