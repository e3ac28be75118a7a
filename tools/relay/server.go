package relay

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
)

// handler answers the requests of other processes, until the route is lost. Until the store is open, it answers only
// requests for the owner's note, and all other requests wait.
func (o *owner) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathOwner, o.handleOwner)
	mux.HandleFunc("POST "+pathYield, o.handleYield)
	mux.HandleFunc("POST "+pathCall, o.handleCall)
	mux.HandleFunc("POST "+pathHold, o.handleHold)
	mux.HandleFunc("GET "+pathChanges, o.handleChanges)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, done := o.route.withRoute(r.Context())
		defer done()
		mux.ServeHTTP(w, r.WithContext(ctx))
	})
}

// lockTenure is the tenure of the process that holds the lock of the file.
type lockTenure struct {
	*fileElection
	lock   *storeLock
	server *http.Server
	served sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	note   Note
	socket fileIdentity      // zero for a port
	unused map[net.Conn]bool // network connections without a request so far
	ending bool
}

// Serve begins to listen and to answer. It returns when the socket is ready and the note is written. If the disk is
// full, it serves without a note, and [lockTenure.Restore] writes the note later. After an error it may listen, so the
// caller closes the tenure.
func (t *lockTenure) Serve(n Note, h http.Handler) (alone bool, err error) {
	n.Lock = t.lockID()
	t.server = &http.Server{
		Handler:           t.authenticated(h),
		ConnState:         t.trackConn,
		ReadHeaderTimeout: searchLimit,
		ErrorLog:          slog.NewLogLogger(t.config.Logger.Handler(), slog.LevelWarn),
	}
	t.server.RegisterOnShutdown(t.closeUnusedConns)
	t.mu.Lock()
	t.note = n
	err = t.listen()
	t.mu.Unlock()
	if err != nil {
		return false, err
	}
	return t.isAlone()
}

// authenticated requires the secret of the note from callers on a port, because every user of the machine can connect
// to a port. A wrong secret gets the status 401. A socket needs no secret, see [sameUserListener].
func (t *lockTenure) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if at != nil && at.Network() == "tcp" && !HasSecret(r, t.address().Secret) {
			http.Error(w, "the secret in owner.json is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// HasSecret reports whether a request of another process has the secret of an [Address].
func HasSecret(r *http.Request, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+secret)) == 1
}

// trackConn stores the connections that have sent no request yet. Clients open connections in advance, and
// [http.Server.Shutdown] would wait for their first request.
func (t *lockTenure) trackConn(c net.Conn, state http.ConnState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(t.unused, c)
	case t.ending:
		_ = c.Close() // no data was sent
	default:
		t.unused[c] = true
	}
}

func (t *lockTenure) closeUnusedConns() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.unused {
		_ = c.Close() // no data was sent
	}
}

// listen begins to listen, writes the note with the address, and answers requests until Stop. It is called with mu
// held.
func (t *lockTenure) listen() error {
	c := t.config
	listener, address, err := listen(c.Dir, c.Runtime)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	t.socket = fileIdentity{}
	if address.Network == "unix" {
		t.socket, err = statFile(address.Addr)
	}
	if t.note.Address = address; err == nil {
		err = writeNote(c.Dir, t.note)
	}
	if isDiskFull(err) { // a process that has the store open reads all the same; see Restore
		c.Logger.Warn("others do not find the owner of the store", slog.Any("error", err))
		err = nil
	}
	if err != nil {
		return errors.Join(fmt.Errorf("leave a note: %w", err), listener.Close())
	}
	t.served.Go(func() {
		if err := t.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			c.Logger.Error("sharing the store broke", slog.Any("error", err))
		}
	})
	return nil
}

// address returns the present address of this process. The address changes when Restore listens again.
func (t *lockTenure) address() Address {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.note.Address
}

// CheckOwnership returns ErrLost if the file of the lock was removed or replaced. It costs one stat.
func (t *lockTenure) CheckOwnership(context.Context) error {
	if !t.lock.at.isInPlace() {
		return ErrLost
	}
	return nil
}

// Restore listens again if the socket was removed, as some systems do in XDG_RUNTIME_DIR when the user logs out. It
// writes the note again if the note is missing or names another process. Requests on existing connections continue.
func (t *lockTenure) Restore() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.note.Address.Network == "unix" && !t.socket.isInPlace() {
		return t.listen()
	}
	if n, ok := ReadNote(t.config.Dir); ok && n.isSameOwner(t.note) {
		return nil
	}
	return writeNote(t.config.Dir, t.note)
}

// Stop answers the running requests, and cuts off requests that take longer than [ShutdownLimit].
func (t *lockTenure) Stop() (err error) {
	if t.server == nil {
		return nil
	}
	t.mu.Lock()
	t.ending = true
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), ShutdownLimit)
	defer cancel()
	if t.server.Shutdown(ctx) != nil {
		err = t.server.Close()
	}
	t.served.Wait()
	return err
}

// Release removes the note and the socket, and releases the lock. If another file is now at the path of the lock, the
// note and the socket belong to another owner, and Release leaves them.
func (t *lockTenure) Release() (err error) {
	if t.lock.at.isInPlace() {
		err = errors.Join(removeFile(notePath(t.config.Dir)), t.address().remove())
	}
	return errors.Join(err, t.lock.release())
}
