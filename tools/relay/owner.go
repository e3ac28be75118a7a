package relay

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// An owner has the store open and serves it to others. It listens before the store is open, so that others
// need not ask again and again while a large one is read.
type owner struct {
	relay   *Relay
	lock    *lock
	address Address
	note    Note
	seat    *seat
	server  *http.Server
	served  sync.WaitGroup
	ready   chan struct{} // closed when the store is open
	store   Store
	closing sync.Once
	closed  error

	mu    sync.Mutex               // guards the field below
	holds map[string]*http.Request // the last that holds each connection
}

// drain is how long requests under way may take at the end. They are cut at its beginning.
const drain = time.Second

// own makes this process the owner. It keeps the lock only if that succeeds.
func (r *Relay) own(ctx context.Context, l *lock) (_ *owner, err error) {
	o := &owner{relay: r, lock: l, seat: newSeat(), ready: make(chan struct{}), holds: map[string]*http.Request{}}
	defer func() {
		if err == nil {
			return
		}
		if closing := o.close(); closing != nil {
			r.config.Logger.ErrorContext(ctx, "the place of the owner was not cleared", slog.Any("error", closing))
		}
	}()
	listener, err := o.listen()
	if err != nil {
		return nil, unlockable(r.config, err)
	}
	o.serve(listener)
	alone, err := r.alone()
	if err != nil {
		return nil, unlockable(r.config, err)
	}
	if o.store, err = r.config.Open(ctx, alone); err != nil {
		return nil, err
	}
	o.seat.way = here{o.store}
	r.announce(ctx, o.seat)
	close(o.ready)
	return o, nil
}

// alone tells whether no other process that stays uses the workspace. It is called with the lock held.
func (r *Relay) alone() (bool, error) {
	alone, err := r.presence.alone()
	if err == nil && r.config.Stays {
		err = r.presence.set()
	}
	return alone, err
}

// listen begins to listen and leaves a note of where.
func (o *owner) listen() (net.Listener, error) {
	c := o.relay.config
	listener, address, err := listen(c.Dir, c.Runtime)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	o.address = address
	o.note = thisProcess(c.Now())
	o.note.Version, o.note.Protocol, o.note.Address = c.Version, spoken, address
	if err := writeNote(c.Dir, o.note); err != nil {
		return nil, errors.Join(fmt.Errorf("leave a note: %w", err), listener.Close())
	}
	return listener, nil
}

func (o *owner) serve(listener net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathOwner, o.who)
	mux.HandleFunc("POST "+pathYield, o.yield)
	mux.HandleFunc("POST "+pathCall, o.call)
	mux.HandleFunc("POST "+pathHold, o.hold)
	mux.HandleFunc("GET "+pathChanges, o.changes)
	o.server = &http.Server{
		Handler:           o.known(mux),
		BaseContext:       func(net.Listener) context.Context { return o.seat.over },
		ReadHeaderTimeout: patience,
		ErrorLog:          slog.NewLogLogger(o.relay.config.Logger.Handler(), slog.LevelWarn),
	}
	o.served.Go(func() {
		if err := o.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			o.relay.config.Logger.Error("sharing the store broke", slog.Any("error", err))
		}
	})
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
		o.closed = errors.Join(o.closed, removeNote(o.relay.config.Dir), o.address.remove(), o.lock.release())
	})
	return o.closed
}

// known lets only those in who could read the note, where the address alone proves nothing.
func (o *owner) known(next http.Handler) http.Handler {
	want := []byte("Bearer " + o.address.Secret)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.address.Secret != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "the secret in owner.json is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// who answers at once, also while the store is being opened.
func (o *owner) who(w http.ResponseWriter, _ *http.Request) {
	public := o.note
	public.Address = Address{}
	out, err := json.Marshal(public)
	respond(w, out, err)
}

// opened waits until the store is open. What waits for one that cannot be opened moves on.
func (o *owner) opened(ctx context.Context) error {
	select {
	case <-o.ready:
		return nil
	case <-ctx.Done():
		return errMoved
	}
}

// read reads a call to its end: otherwise nobody would notice that its caller leaves.
func (o *owner) read(w http.ResponseWriter, r *http.Request) (c tools.Call, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	switch {
	case err != nil:
		respond(w, nil, schemas.InternalError(fmt.Errorf("read a call: %w", err)))
	case late(r, o.relay.config.Now()):
		w.WriteHeader(statusLate)
	case o.opened(r.Context()) != nil:
		respond(w, nil, errMoved)
	default:
		return c, true
	}
	return c, false
}

func (o *owner) call(w http.ResponseWriter, r *http.Request) {
	c, ok := o.read(w, r)
	if !ok {
		return
	}
	out, err := o.seat.way.Invoke(r.Context(), c)
	respond(w, out, err)
}

// hold opens a connection and closes it when its process leaves without having said so.
func (o *owner) hold(w http.ResponseWriter, r *http.Request) {
	c, ok := o.read(w, r)
	if !ok {
		return
	}
	conn := connOf(c)
	o.mu.Lock()
	o.holds[conn] = r
	o.mu.Unlock()
	out, err := o.seat.way.Invoke(r.Context(), c)
	if err != nil {
		respond(w, nil, err)
		return
	}
	respond(w, append(out, '\n'), nil)
	if http.NewResponseController(w).Flush() == nil {
		<-r.Context().Done()
	}
	if o.seat.lost() {
		return // the next owner is told
	}
	o.mu.Lock()
	last := o.holds[conn] == r
	if last {
		delete(o.holds, conn)
	}
	o.mu.Unlock()
	if !last {
		return // it is held by another request meanwhile
	}
	c.Tool, c.ID = closeTool, o.relay.newID()
	if _, err := o.seat.way.Invoke(o.seat.over, c); err != nil && !errors.Is(err, errMoved) {
		o.relay.config.Logger.WarnContext(o.seat.over, "a connection that broke was not closed", slog.Any("error", err))
	}
}

func (o *owner) changes(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	if err == nil {
		err = o.opened(r.Context())
	}
	if err != nil {
		respond(w, nil, err)
		return
	}
	respond(w, nil, nil)
	flush, lines := http.NewResponseController(w).Flush, json.NewEncoder(w)
	if flush() != nil {
		return
	}
	for c, err := range o.seat.way.Changes(r.Context(), after) {
		if errors.Is(err, errMoved) || r.Context().Err() != nil {
			return // whoever still wants them resumes
		}
		line := streamed{Change: c}
		if err != nil {
			line.Error = schemas.AsError(err)
		}
		if lines.Encode(line) != nil || flush() != nil {
			return
		}
	}
}
