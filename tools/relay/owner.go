package relay

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// An owner has the store open and serves it to other processes. It listens before the store is open: calls that come
// while a large store is read wait here, and need not ask again and again.
//
// There is at most one in a process, and one among all processes. It lives from taking the lock to releasing it. Its
// route is lost first when it ends, which cuts off all calls; that is how its handlers learn of the end.
type owner struct {
	relay    *Relay
	lock     *lock
	route    *route
	server   *http.Server
	served   sync.WaitGroup
	ready    chan struct{} // closed when the fields up to here, store and files are set
	store    Store
	files    []file // the lock and the store; see files.go
	closing  sync.Once
	closed   error
	inflight inflight
	holds    sync.Map // the holder of each connection that other processes opened

	mu     sync.Mutex // guards the fields below
	note   Note
	socket file              // zero for a port
	unused map[net.Conn]bool // network connections without a request so far
}

// shutdownLimit is how long requests under way may take at the end. They are cut off at its beginning.
const shutdownLimit = time.Second

// openOwner makes this process the owner. On an error it releases the lock.
//
// The order matters. It listens before the store is open, so that others wait here. It looks who else is there before
// it opens the store, because the rules then know whether connections will be announced. It opens the store before it
// announces connections, and answers only when all is done. The errors are those of Config.Open, and unavailable when
// locks, sockets or files do not work.
func (r *Relay) openOwner(ctx context.Context, l *lock) (_ *owner, err error) {
	o := &owner{
		relay: r, lock: l, route: newRoute(), ready: make(chan struct{}), files: []file{l.at},
		inflight: inflight{notify: r.config.Crowded}, unused: map[net.Conn]bool{},
	}
	defer func() {
		if err == nil {
			return
		}
		if closing := o.close(); closing != nil {
			r.config.Logger.ErrorContext(ctx, "the place of the owner was not cleared", slog.Any("error", closing))
		}
	}()
	if err := o.serve(); err != nil {
		return nil, unshareable(r.config, err)
	}
	alone, err := r.alone()
	if err != nil {
		return nil, unshareable(r.config, err)
	}
	if o.store, err = r.config.Open(ctx, alone); err != nil {
		return nil, err
	}
	for _, path := range r.config.Files {
		f, err := fileAt(path)
		if err != nil {
			return nil, unshareable(r.config, err)
		}
		o.files = append(o.files, f)
	}
	o.route.endpoint = localStore{o}
	r.announceConnections(ctx, o.route)
	close(o.ready)
	o.served.Go(o.watchFiles)
	return o, nil
}

// alone reports whether no other process that stays uses the workspace. It is called with the lock held.
//
// The mark of this process is away for a moment meanwhile. Nobody looks then, as only the holder of the lock does.
func (r *Relay) alone() (bool, error) {
	if err := r.presence.reopen(); err != nil {
		return false, err
	}
	alone, err := r.presence.alone()
	if err == nil && r.config.Stays {
		err = r.presence.set()
	}
	return alone, err
}

// currentNote is the note as it is now: its address changes when the owner listens anew.
func (o *owner) currentNote() Note {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.note
}

// close ends in an order in which nothing is lost. First it cuts off the calls under way, which their callers repeat
// elsewhere. Then it writes and closes the store. It releases the lock last. It may be called twice.
//
// Requests get a second to send their answer that the owner moved; then their connections are cut. A note and a socket
// are removed only while the lock is still the file under its name. It may be called by the relay that closes, by
// resign and by openOwner that failed; the second call waits for the first and returns the same error.
func (o *owner) close() error {
	o.closing.Do(func() {
		o.route.lose(errMoved)
		if o.server != nil {
			ctx, cancel := context.WithTimeout(context.Background(), shutdownLimit)
			if o.server.Shutdown(ctx) != nil {
				o.closed = o.server.Close()
			}
			cancel()
			o.served.Wait()
		}
		if o.store != nil {
			o.closed = errors.Join(o.closed, o.store.Close())
		}
		if o.lock.at.inPlace() { // else note and socket are those of another owner
			o.closed = errors.Join(o.closed, removeFile(notePath(o.relay.config.Dir)), o.currentNote().Address.remove())
		}
		o.closed = errors.Join(o.closed, o.lock.release())
	})
	return o.closed
}
