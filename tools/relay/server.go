package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"handoff/tools/relay/platform"
)

// serve begins to listen and to answer.
//
// It returns when the socket is there and the note is written. Requests that come before the store is open wait, except
// those that ask who the owner is. The error is of listening or of writing the note; nothing listens then.
func (o *owner) serve() error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathOwner, o.handleOwner)
	mux.HandleFunc("POST "+pathYield, o.handleYield)
	mux.HandleFunc("POST "+pathCall, o.handleCall)
	mux.HandleFunc("POST "+pathHold, o.handleHold)
	mux.HandleFunc("GET "+pathChanges, o.handleChanges)
	o.server = &http.Server{
		Handler:           o.authenticated(mux),
		BaseContext:       func(net.Listener) context.Context { return o.route.life },
		ConnState:         o.trackConn,
		ReadHeaderTimeout: searchLimit,
		ErrorLog:          slog.NewLogLogger(o.relay.config.Logger.Handler(), slog.LevelWarn),
	}
	o.server.RegisterOnShutdown(o.closeUnused)
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.listen()
}

// trackConn remembers the connections without a request so far. Clients open some in advance, and
// [http.Server.Shutdown] would wait for their first request.
func (o *owner) trackConn(c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(o.unused, c)
	case o.route.lost():
		_ = c.Close() // nothing was sent
	default:
		o.unused[c] = true
	}
}

func (o *owner) closeUnused() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.unused {
		_ = c.Close() // nothing was sent
	}
}

// listen begins to listen, writes the note that says where, and answers the requests that come, until close. It is
// called with mu held.
func (o *owner) listen() error {
	c := o.relay.config
	listener, address, err := listen(c.Dir, c.Runtime)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	o.socket = file{}
	if address.Network == "unix" {
		o.socket, err = fileAt(address.Addr)
	}
	if o.note.PID == 0 {
		o.note = thisProcess(c.Now())
		o.note.Version, o.note.Stays, o.note.Protocol = c.Version, c.Stays, supported
		o.note.Lock = platform.FileID(lockPath(c.Dir))
	}
	if o.note.Address = address; err == nil {
		err = writeNote(c.Dir, o.note)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("leave a note: %w", err), listener.Close())
	}
	o.served.Go(func() {
		if err := o.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			c.Logger.Error("sharing the store broke", slog.Any("error", err))
		}
	})
	return nil
}

// restore listens anew when the socket was removed, as some systems do with XDG_RUNTIME_DIR when its user logs out,
// and writes the note again when it is not there or is another's.
//
// It is called once a second. Requests on connections that exist are not disturbed. Until it was called, processes that
// look for the owner do not find it, and wait.
func (o *owner) restore() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.note.Address.Network == "unix" && !o.socket.inPlace() {
		return o.listen()
	}
	if n, ok := ReadNote(o.relay.config.Dir); ok && n.sameOwner(o.note) {
		return nil
	}
	return writeNote(o.relay.config.Dir, o.note)
}
