package open

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/tools/relay"
)

// CopyIn copies the files of a workspace into the database of a node, and CopyOut the other way. The caller has locked
// the files with [relay.Lock]. Errors are *[schemas.Error].
func CopyIn(ctx context.Context, w workspace.Workspace, node *cluster.Node, log *slog.Logger) (store.Copied, error) {
	return copied(ctx, w, node, log, func(files, database store.Backend) store.Copy {
		return store.Copy{From: files, To: database, Place: node.String()}
	})
}

// CopyOut is the other way of CopyIn.
func CopyOut(ctx context.Context, w workspace.Workspace, node *cluster.Node, log *slog.Logger) (store.Copied, error) {
	return copied(ctx, w, node, log, func(files, database store.Backend) store.Copy {
		host, _ := os.Hostname() // only who reads it misses it
		return store.Copy{From: database, To: files, Place: fmt.Sprintf("files on %s: %s", host, w.Dir)}
	})
}

func copied(
	ctx context.Context, w workspace.Workspace, node *cluster.Node, log *slog.Logger, way func(files, database store.Backend) store.Copy,
) (done store.Copied, err error) {
	err = WithFiles(ctx, w, log, func(files store.Backend) error {
		return WithDatabase(ctx, w.Name, node, func(database store.Backend) error {
			done, err = way(files, database).Run(ctx)
			return err
		})
	})
	return done, notCopied(ctx, Config{Name: w.Name, Dir: w.Dir, Cluster: node}, err)
}

// notCopied explains why rows are not in their new place; nil where they are.
func notCopied(ctx context.Context, to Config, err error) error {
	coded, is := errors.AsType[*schemas.Error](err)
	switch {
	case err == nil:
		return nil
	case is:
		return coded
	case errors.Is(err, store.ErrNotEmpty):
		return schemas.Errorf(schemas.Conflict, "there is a workspace %s already where it is to be copied", to.Name).
			WithHint("Nothing was changed. handoff workspace copy --help says how to replace one.")
	case errors.Is(err, store.ErrFenced):
		return schemas.Errorf(schemas.Conflict, "workspace %s was taken over by another process while it was copied", to.Name).
			WithHint("End the clients that use it, then call again: what was copied so far is not used.")
	case ctx.Err() != nil:
		return schemas.Errorf(schemas.Unavailable, "it was interrupted").WithHint("Call again: what was copied so far is not used.")
	}
	return explain(to, err)
}

// WithFiles opens the files of a workspace, usable or not, for as long as fn runs. The caller has locked them.
func WithFiles(ctx context.Context, w workspace.Workspace, log *slog.Logger, fn func(store.Backend) error) error {
	files, err := openEngine(ctx, w.Dir, log)
	if err != nil {
		return explain(Config{Name: w.Name, Dir: w.Dir}, err)
	}
	return errors.Join(fn(files), files.Close())
}

// WithDatabase owns a workspace of a database, usable or not, for as long as fn runs.
func WithDatabase(ctx context.Context, name string, node *cluster.Node, fn func(store.Backend) error) (err error) {
	return withSeat(ctx, name, node, func(_ *cluster.Seat, rows store.Backend) error { return fn(rows) })
}

// withSeat is WithDatabase for a function that also changes what the workspace is called.
func withSeat(ctx context.Context, name string, node *cluster.Node, fn func(*cluster.Seat, store.Backend) error) (err error) {
	seat := node.Seat(name)
	owner, _ := seat.Owner(ctx) // whom it is taken from
	tenure, err := seat.Try(ctx)
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

// Reopen has a workspace used again that was copied.
func Reopen(ctx context.Context, name string, b store.Backend) error {
	err := store.Usable(ctx, b)
	if _, moved := errors.AsType[*store.Moved](err); moved {
		return store.Reopen(ctx, b)
	}
	if err != nil {
		return explain(Config{Name: name}, err)
	}
	return schemas.Errorf(schemas.Conflict, "workspace %s is in use as it is", name).WithHint("There is nothing to undo.")
}

// unusable is the error for a workspace that is not used because of a copy; nil for others.
func unusable(name string, err error) error {
	moved, is := errors.AsType[*store.Moved](err)
	switch {
	case is:
		return schemas.Errorf(schemas.Conflict, "workspace %s is not used any more: %w", name, moved).
			WithHint("Use it there. handoff workspace copy --help says how, and how to go on with what was left here.")
	case errors.Is(err, store.ErrUnfinished):
		return schemas.Errorf(schemas.Conflict, "workspace %s is not whole: %w", name, err).
			WithHint("Copy, restore or import it again: handoff workspace copy --help, handoff restore --help and handoff import --help show how.")
	}
	return nil
}
