package open

import (
	"context"
	"errors"
	"fmt"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/travel"
	"handoff/tools/relay"
)

// explainCopyError turns an error of copying rows into an error with a remedy for the caller. It returns nil if err is
// nil.
func explainCopyError(ctx context.Context, to Config, err error) error {
	coded, is := errors.AsType[*schemas.Error](err)
	switch {
	case err == nil:
		return nil
	case is:
		return coded
	case ctx.Err() != nil:
		return schemas.Errorf(schemas.Unavailable, "it was interrupted").WithHint("Call again: what was copied so far is not used.")
	}
	return explainOpenError(to, err)
}

// WithStore opens a workspace while fn runs, even if the workspace was moved or is incomplete. The workspace is in the
// database of node, which WithStore owns meanwhile. The error is conflict if another process has the workspace open. If
// node is nil, it is in files, which the caller must have locked.
func WithStore(ctx context.Context, w workspace.Workspace, node *cluster.Node, fn func(store.Backend) error) error {
	if node != nil {
		return withElection(ctx, w.Name, node, func(_ *cluster.Election, rows store.Backend) error { return fn(rows) })
	}
	files, err := openEngine(ctx, w.Dir, discardLog)
	if err != nil {
		return explainOpenError(Config{Name: w.Name, Dir: w.Dir}, err)
	}
	return errors.Join(fn(files), files.Close())
}

// withElection owns a workspace of a database while fn runs. Fn also gets the election of the workspace. With it, fn
// can rename the workspace.
func withElection(ctx context.Context, name string, node *cluster.Node, fn func(*cluster.Election, store.Backend) error) (err error) {
	seat := node.Election(name)
	owner, _ := seat.LastOwner(ctx) // the process that has the workspace open, for the error
	tenure, err := seat.TryToWin(ctx)
	if errors.Is(err, relay.ErrInUse) {
		who := ""
		if owner.PID != 0 {
			who = fmt.Sprintf(": pid %d, handoff %s, at %s", owner.PID, owner.Version, owner.Address.Addr)
		}
		return schemas.Errorf(schemas.Conflict, "workspace %s of the database is open in another process%s", name, who).
			WithHint("End the servers and clients that use it, then call again.")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tenure.Release()) }()
	rows, err := seat.Open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(fn(seat, rows), rows.Close())
}

// ReopenMovedStore makes a moved workspace usable again. If the workspace was not moved, it changes nothing and moved
// is false.
func ReopenMovedStore(ctx context.Context, b store.Backend) (moved bool, err error) {
	if _, moved = errors.AsType[*travel.MovedError](travel.CheckUsable(ctx, b)); moved {
		err = travel.RemoveCopyMark(ctx, b)
	}
	return moved, err
}

// explainUnusableStore returns an error with a remedy if err means that the workspace was moved, or that a copy into it
// is incomplete. For other errors it returns nil.
func explainUnusableStore(name string, err error) error {
	moved, is := errors.AsType[*travel.MovedError](err)
	switch {
	case is:
		return schemas.Errorf(schemas.Conflict, "workspace %s is not used any more: %w", name, moved).
			WithHint("Use it there. handoff restore --undo takes up the workspace that was left here.")
	case errors.Is(err, travel.ErrUnfinished):
		return schemas.Errorf(schemas.Conflict, "workspace %s is not whole: %w", name, err).
			WithHint("Restore or import it again: handoff restore --help and handoff import --help show how.")
	}
	return nil
}
