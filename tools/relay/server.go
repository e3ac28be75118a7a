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
	listener, err := o.listen()
	if err != nil {
		return err
	}
	o.accept(listener)
	return nil
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

// listen begins to listen and writes the note that says where. It is called with mu held.
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
		o.note.Version = c.Version
		o.note.Stays = c.Stays
		o.note.Protocol = supported
		o.note.Lock = platform.FileID(lockPath(c.Dir))
	}
	if o.note.Address = address; err == nil {
		err = writeNote(c.Dir, o.note)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("leave a note: %w", err), listener.Close())
	}
	return listener, nil
}

// accept answers the requests that come to a listener, until close.
func (o *owner) accept(listener net.Listener) {
	o.served.Go(func() {
		if err := o.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			o.relay.config.Logger.Error("sharing the store broke", slog.Any("error", err))
		}
	})
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
		listener, err := o.listen()
		if err != nil {
			return err
		}
		o.accept(listener)
		return nil
	}
	n, ok := ReadNote(o.relay.config.Dir)
	if ok && n.PID == o.note.PID && n.Started.Equal(o.note.Started) {
		return nil
	}
	return writeNote(o.relay.config.Dir, o.note)
}
