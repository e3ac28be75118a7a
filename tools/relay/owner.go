package relay

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// An owner has the store open and serves it to other processes. It listens before the store is open: calls that come
// while it reads a large store wait here, and need not ask again and again.
//
// All processes of a workspace together have at most one owner. It lives from the won election until its tenure is
// released. When it ends, its route is lost first: this cuts off all calls, and tells its handlers that the owner ends.
type owner struct {
	relay    *Relay
	tenure   Tenure
	note     Note // without an address
	route    *route
	ready    chan struct{} // closed when the fields up to here and store are set
	store    Store
	watching sync.WaitGroup
	closing  sync.Once
	closed   error
	inflight callCounter
	holds    sync.Map // an openRequest for each connection that other processes opened
}

// ShutdownLimit is how long requests under way may take at the end. They are cut off at its beginning.
const ShutdownLimit = time.Second

// openOwner makes this process the owner. On an error it ends the tenure.
//
// The order of its steps matters. It listens before it opens the store, so that other processes wait here. It looks for
// other processes before it opens the store, because the rules then know whether connections will be announced. It
// opens the store before it announces connections, and answers calls last. The errors are the errors of Config.Open,
// and unavailable if locks, sockets or files do not work.
func (r *Relay) openOwner(ctx context.Context, won Tenure) (_ *owner, err error) {
	o := &owner{
		relay: r, tenure: won, note: r.newNote(), route: newRoute(), ready: make(chan struct{}),
		inflight: callCounter{notify: r.config.Crowded},
	}
	defer func() {
		if err == nil {
			return
		}
		if closing := o.close(); closing != nil {
			r.config.Logger.ErrorContext(ctx, "the place of the owner was not cleared", slog.Any("error", closing))
		}
	}()
	if err := won.Serve(o.note, o.handler()); err != nil {
		return nil, r.election.UnusableError(err)
	}
	alone, err := won.IsAlone()
	if err != nil {
		return nil, r.election.UnusableError(err)
	}
	if o.store, err = r.config.Open(ctx, alone); err != nil {
		return nil, err
	}
	if err := won.RecordOpened(); err != nil {
		return nil, r.election.UnusableError(err)
	}
	o.route.endpoint = localStore{o}
	r.announceConnections(ctx, o.route)
	close(o.ready)
	o.watching.Go(o.watchOwnership)
	return o, nil
}

// newNote returns the note of this process as the owner.
func (r *Relay) newNote() Note {
	n := thisProcess(r.config.Now())
	n.Version, n.Stays, n.Protocol = r.config.Version, r.config.Stays, supported
	return n
}

// verifyOwnership makes sure that this process owns the store before it acknowledges a change. The error is errMoved
// if it does not: then it gives the store up.
func (o *owner) verifyOwnership(ctx context.Context) error {
	err := o.tenure.CheckOwnership(ctx)
	switch {
	case errors.Is(err, ErrLost):
		_ = o.relay.resign(o, "it is another's") // if it cannot, it gives the store up already
		return errMoved
	case err != nil && o.route.isLost():
		return errMoved
	case err != nil && ctx.Err() != nil:
		return cutOffError(ctx)
	}
	return err
}

// watchOwnership checks once a second whether this process still owns the store and others find it, until the route is lost.
func (o *owner) watchOwnership() {
	look := time.NewTicker(checkInterval)
	defer look.Stop()
	told := "" // the last logged reason, until others find it again
	for {
		select {
		case <-look.C:
		case <-o.route.life.Done():
			return
		}
		if errors.Is(o.verifyOwnership(o.route.life), errMoved) {
			return
		}
		why := ""
		if err := o.tenure.Restore(); err != nil {
			if why = err.Error(); why != told {
				o.relay.config.Logger.Warn("others do not find the owner of the store", slog.Any("error", err))
			}
		}
		told = why
	}
}

// close ends in an order in which nothing is lost. First it cuts off the calls under way, which their callers repeat
// at the next owner. Then it writes and closes the store. It ends the tenure last. It may be called twice.
//
// Requests get a second to send their answer that the owner moved; then their connections are cut. Close of the
// relay, resign and a failed openOwner may call it; the second call waits for the first and returns the same error.
func (o *owner) close() error {
	o.closing.Do(func() {
		o.route.lose(errMoved)
		o.closed = o.tenure.Stop()
		o.watching.Wait()
		if o.store != nil {
			o.closed = errors.Join(o.closed, o.store.Close())
		}
		o.closed = errors.Join(o.closed, o.tenure.Release())
	})
	return o.closed
}
