package relay

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// An owner has the store open and serves it to other processes. It listens before the store is open. So calls that
// arrive while it reads a large store wait here and need no retries.
//
// A workspace has at most one owner at a time. It lives from the won election until its tenure is released. Its end
// begins with the loss of its route, which cuts off all calls.
type owner struct {
	relay    *Relay
	tenure   Tenure
	note     Note // without an address
	route    *route
	ready    chan struct{} // closed when the fields up to here and store are set
	store    Store
	files    []fileIdentity // of the store; see files.go
	watching sync.WaitGroup
	closing  sync.Once
	closed   error
	calls    atomic.Int64 // running calls of other processes
	crowded  sync.Once    // done when there were many calls
	holds    sync.Map     // an openRequest for each connection that other processes opened
}

// ShutdownLimit is the time that running requests have for their response when an owner ends.
const ShutdownLimit = time.Second

// openOwner makes this process the owner. On an error it ends the tenure. The error is an error of Config.Open, or
// unavailable if locks, sockets or files do not work.
//
// The order of the steps matters. It listens first, so that other processes wait here. Then it looks for other
// processes, because the rules must know whether connections will be announced. It opens the store, then announces its
// own connections, and answers calls last.
func (r *Relay) openOwner(ctx context.Context, won Tenure) (_ *owner, err error) {
	o := &owner{
		relay: r, tenure: won, note: r.newNote(), route: newRoute(), ready: make(chan struct{}),
	}
	defer func() {
		if err == nil {
			return
		}
		if closing := o.close(); closing != nil {
			r.config.Logger.ErrorContext(ctx, "the place of the owner was not cleared", slog.Any("error", closing))
		}
	}()
	alone, err := won.Serve(o.note, o.handler())
	if err != nil {
		return nil, r.election.UnusableError(err)
	}
	if o.store, err = r.config.Open(ctx, alone); err != nil {
		return nil, err
	}
	if err := o.recordFiles(); err != nil {
		return nil, r.election.UnusableError(err)
	}
	o.route.endpoint = localStore{o}
	r.announceConnections(ctx, o.route)
	close(o.ready)
	o.watching.Go(o.watchOwnership)
	return o, nil
}

// recordFiles stores the identities of the store's files.
func (o *owner) recordFiles() error {
	for _, path := range o.relay.config.Files {
		f, err := statFile(path)
		if err != nil {
			return err
		}
		o.files = append(o.files, f)
	}
	return nil
}

// newNote returns the note of this process as the owner.
func (r *Relay) newNote() Note {
	n := thisProcess(r.config.Now())
	n.Version, n.Stays, n.Protocol = r.config.Version, r.config.Stays, supported
	return n
}

// verifyOwnership checks that this process still owns the store, before it acknowledges a change. If the process no
// longer owns the store, verifyOwnership gives the store up and returns errMoved. It does the same if a file of the
// store was removed or replaced, because the open files then no longer belong to the workspace. It costs one stat for
// each file.
func (o *owner) verifyOwnership(ctx context.Context) error {
	err := o.tenure.CheckOwnership(ctx)
	switch {
	case errors.Is(err, ErrLost), slices.ContainsFunc(o.files, func(f fileIdentity) bool { return !f.isInPlace() }):
		_ = o.relay.resign(o, "it is another's") // if it cannot, it gives the store up already
		return errMoved
	case err != nil && o.route.isLost():
		return errMoved
	case err != nil && ctx.Err() != nil:
		return cutOffError(ctx)
	}
	return err
}

// watchOwnership checks once a second that this process still owns the store and that other processes find it. It
// returns when the route is lost.
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

// close cuts off the running calls, then writes and closes the store, and ends the tenure last. In this order no result
// is lost, because other processes repeat their calls at the next owner. Requests get a second to answer that the owner
// moved. A second call waits for the first and returns the same error.
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
