// Package relay lets many processes share one store. Each opens a [Relay] and calls tools through it as if it
// had the store to itself; the rules below never learn that other processes exist.
//
//	process ── Relay ── seat ─┬─ the store, in the process that holds the lock: the owner
//	                          └─ the owner's socket, in all others
//
// Whoever gets the file lock owns the store and serves the others (election.go, owner.go). They look for it
// (search.go) and forward their calls (client.go). There is nothing to start first: a process that stays lines
// up for the lock in the kernel, so when the owner ends, even by kill -9, one of them goes on within
// milliseconds. An owner whose files are taken from under it lets go of them (guard.go).
//
// A call that meets the end of an owner is repeated at the next one under the same request id, which the
// rules remember, so it takes effect once. A wait begins anew there with the time at which it was first made,
// and so keeps its place in line. Changes are followed by number and resume anywhere. Connections are
// announced to each owner anew, for as long as their process lives (hold.go).
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
	Dir  string // where its files are; made if it is not there

	// Runtime is where sockets may go whose path in Dir would be too long: XDG_RUNTIME_DIR.
	Runtime string

	// Open opens the store in this process. It is called with the lock held, perhaps more than once, and
	// its errors are *[schemas.Error]. What it gives may be in use by other processes until it is closed.
	// Alone tells that no other process that stays uses the workspace: then nobody will announce connections
	// that an earlier owner knew.
	Open func(ctx context.Context, alone bool) (Store, error)

	// Files are those that Open opens. When one is removed or replaced, this process lets go of them all.
	Files []string

	// Stays tells that this process lives on, as a server does. It lines up for the store while another
	// owns it. A command does not: it owns the store only when nobody else does.
	Stays bool

	// Crowded is told when many calls of other processes begin to be under way here, and when they are few again:
	// they need memory. It is quick. Nil: nobody is.
	Crowded func(many bool)

	Version string // of this program; a newer one takes the store over from an older one
	Now     func() time.Time
	Logger  *slog.Logger // default: discards
}

// Store is an open store with its rules.
type Store interface {
	tools.Invoker
	Close() error // may be called twice
}

// Relay is one process's way to the store. Use [Open].
type Relay struct {
	config   Config
	presence *presence
	life     context.Context // ends with Close
	end      context.CancelFunc
	work     sync.WaitGroup // goroutines that Close waits for

	mu      sync.Mutex // guards the fields below
	closed  bool
	queued  bool                  // a goroutine is in line for the lock
	rising  bool                  // the lock is held, the store not open yet
	room    func()                // makes room for who asked for it meanwhile; nil for nobody
	owner   *owner                // nil in all processes but one
	seat    *seat                 // where calls go; nil before the first
	refused error                 // why the store could not be opened, for the search under way
	changed chan struct{}         // closed and replaced when one of the above changes
	looking *search               // under way, nil for none
	modest  int                   // how often it is to look for another owner before it takes the lock again
	coming  bool                  // a goroutine looks for a seat because connections are open
	held    map[string]tools.Call // connections of this process, with the call that opened each
}

var _ tools.Invoker = (*Relay)(nil)

// Open prepares the directory of a workspace. The store is opened, or its owner found, by the first call, so
// that a server starts even when the store cannot be had just now. Errors are *[schemas.Error].
func Open(ctx context.Context, c Config) (*Relay, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if err := prepare(c.Dir); err != nil {
		return nil, unprepared(c, err)
	}
	mark, err := enter(c.Dir)
	if err == nil && c.Stays {
		err = mark.set()
	}
	if err != nil {
		return nil, unprepared(c, err)
	}
	r := &Relay{config: c, presence: mark, changed: make(chan struct{}), held: map[string]tools.Call{}}
	r.life, r.end = context.WithCancel(context.WithoutCancel(ctx))
	return r, nil
}

// errMoved tells that a call did not get an answer because its owner ended: it is repeated at the next one.
var errMoved = errors.New("the owner of the store has changed")

// Invoke runs a tool where the store is. While the owner changes, the call waits for the next one, at most
// [patience]. A call without an id is given one, so that it can be repeated.
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
		s, err := r.sit(ctx)
		if err != nil {
			return nil, err
		}
		if c.Tool == openTool {
			r.remember(c)
		}
		out, err := s.invoke(ctx, c)
		if c.Tool == openTool && err != nil && !errors.Is(err, errMoved) {
			r.forget(c) // it was refused
		}
		if !errors.Is(err, errMoved) {
			return out, err
		}
		s.lose(errMoved)
	}
}

func (r *Relay) newID() string { return tools.NewRequestID(r.config.Now(), rand.Reader) }

// Changes yields the events after a number and waits for more, at whichever owner.
func (r *Relay) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		for {
			s, err := r.sit(ctx)
			if err != nil {
				yield(schemas.Change{}, err)
				return
			}
			for c, err := range s.changes(ctx, after) {
				if errors.Is(err, errMoved) {
					break
				}
				if !yield(c, err) || err != nil {
					return
				}
				after = c.N
			}
			s.lose(errMoved)
		}
	}
}

// Close lets go of the store. Calls of others that are under way here are repeated at the next owner. It may
// be called twice.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	s := r.seat
	r.mu.Unlock()
	r.end()
	if s != nil {
		s.lose(errMoved)
	}
	r.work.Wait() // before this the store may just be opening
	r.mu.Lock()
	o, mark := r.owner, r.presence
	r.owner, r.presence = nil, nil
	r.mu.Unlock()
	var errs []error
	if mark != nil { // before the lock, whose next holder looks who is there
		errs = append(errs, mark.leave())
	}
	if o != nil {
		errs = append(errs, o.close())
	}
	return errors.Join(errs...)
}

// tell lets those who wait look again. It is called with mu held.
func (r *Relay) tell() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Files are the names of what is kept in the directory of a workspace besides its store.
func Files() []string {
	return []string{"handoff.lock", "handoff.here", "handoff.sock", "handoff.new", "owner.json", "owner.json.new"}
}
