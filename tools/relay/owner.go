package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"handoff/tools/relay/platform"
)

// An owner has the store open and serves it to others. It listens before the store is open, so that others
// need not ask again and again while a large one is read.
type owner struct {
	relay   *Relay
	lock    *lock
	seat    *seat
	server  *http.Server
	served  sync.WaitGroup
	ready   chan struct{} // closed when the fields up to here, store and files are set
	store   Store
	files   []file // that are this owner's, see guard.go
	closing sync.Once
	closed  error
	crowd   crowd

	mu     sync.Mutex // guards the fields below
	note   Note
	socket file               // zero for a port
	holds  map[string]*holder // of each connection that others opened
	fresh  map[net.Conn]bool  // over which nothing was asked yet
}

// drain is how long requests under way may take at the end. They are cut at its beginning.
const drain = time.Second

// own makes this process the owner. It keeps the lock only if that succeeds.
func (r *Relay) own(ctx context.Context, l *lock) (_ *owner, err error) {
	o := &owner{relay: r, lock: l, seat: newSeat(), ready: make(chan struct{}), holds: map[string]*holder{}, fresh: map[net.Conn]bool{}, crowd: crowd{told: r.config.Crowded}}
	defer func() {
		if err == nil {
			return
		}
		if closing := o.close(); closing != nil {
			r.config.Logger.ErrorContext(ctx, "the place of the owner was not cleared", slog.Any("error", closing))
		}
	}()
	locked, err := l.file.Stat()
	if err != nil {
		return nil, unlockable(r.config, err)
	}
	o.files = append(o.files, file{lockPath(r.config.Dir), locked})
	if err := o.serve(); err != nil {
		return nil, unlockable(r.config, err)
	}
	alone, err := r.alone()
	if err != nil {
		return nil, unlockable(r.config, err)
	}
	if o.store, err = r.config.Open(ctx, alone); err != nil {
		return nil, err
	}
	if err := o.identify(r.config.Files...); err != nil {
		return nil, unlockable(r.config, err)
	}
	o.seat.way = here{o}
	r.announce(ctx, o.seat)
	close(o.ready)
	o.served.Go(o.guard)
	return o, nil
}

// alone tells whether no other process that stays uses the workspace. It is called with the lock held.
func (r *Relay) alone() (bool, error) {
	if err := r.presence.renew(); err != nil {
		return false, err
	}
	alone, err := r.presence.alone()
	if err == nil && r.config.Stays {
		err = r.presence.set()
	}
	return alone, err
}

// serve begins to listen and to answer.
func (o *owner) serve() error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathOwner, o.who)
	mux.HandleFunc("POST "+pathYield, o.yield)
	mux.HandleFunc("POST "+pathCall, o.call)
	mux.HandleFunc("POST "+pathHold, o.hold)
	mux.HandleFunc("GET "+pathChanges, o.changes)
	o.server = &http.Server{
		Handler:           o.known(mux),
		BaseContext:       func(net.Listener) context.Context { return o.seat.over },
		ConnState:         o.conn,
		ReadHeaderTimeout: patience,
		ErrorLog:          slog.NewLogLogger(o.relay.config.Logger.Handler(), slog.LevelWarn),
	}
	o.server.RegisterOnShutdown(o.hangUp)
	o.mu.Lock()
	defer o.mu.Unlock()
	listener, err := o.listen()
	if err != nil {
		return err
	}
	o.accept(listener)
	return nil
}

// conn notes which connections nobody has used yet. Clients open some in advance, and an orderly end would wait
// for what they might ask.
func (o *owner) conn(c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(o.fresh, c)
	case o.seat.lost():
		_ = c.Close() // nothing was said
	default:
		o.fresh[c] = true
	}
}

func (o *owner) hangUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.fresh {
		_ = c.Close() // nothing was said
	}
}

// listen begins to listen and leaves a note of where. It is called with mu held.
func (o *owner) listen() (net.Listener, error) {
	c := o.relay.config
	listener, address, err := listen(c.Dir, c.Runtime)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	o.socket = file{}
	if address.Network == "unix" {
		o.socket, err = fileAt(address.Addr)
	}
	if o.note.PID == 0 {
		o.note = thisProcess(c.Now())
		o.note.Version, o.note.Protocol, o.note.Stays, o.note.Lock = c.Version, spoken, c.Stays, platform.FileID(lockPath(c.Dir))
	}
	if o.note.Address = address; err == nil {
		err = writeNote(c.Dir, o.note)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("leave a note: %w", err), listener.Close())
	}
	return listener, nil
}

// accept answers whoever comes to a listener, until close.
func (o *owner) accept(listener net.Listener) {
	o.served.Go(func() {
		if err := o.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			o.relay.config.Logger.Error("sharing the store broke", slog.Any("error", err))
		}
	})
}

// signed is the note as it is now.
func (o *owner) signed() Note {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.note
}

// close ends in the order in which nothing is lost: what is under way is cut and moves on, the store is
// written and closed, and the lock goes last.
func (o *owner) close() error {
	o.closing.Do(func() {
		o.seat.lose(errMoved)
		if o.server != nil {
			ctx, cancel := context.WithTimeout(context.Background(), drain)
			if o.server.Shutdown(ctx) != nil {
				o.closed = o.server.Close()
			}
			cancel()
			o.served.Wait()
		}
		if o.store != nil {
			o.closed = errors.Join(o.closed, o.store.Close())
		}
		if len(o.files) > 0 && o.files[0].there() { // the lock; else these are of who has the one that is there
			o.closed = errors.Join(o.closed, removeNote(o.relay.config.Dir), o.signed().Address.remove())
		}
		o.closed = errors.Join(o.closed, o.lock.release())
	})
	return o.closed
}
