package open

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/tools/relay"
)

// Compact gives the space back that the file of a workspace no longer uses, and tells its size before and after in
// bytes. The caller has locked the workspace with [relay.Lock]. Errors are *[schemas.Error].
func Compact(ctx context.Context, w workspace.Workspace) (before, after int64, err error) {
	done, err := compact(ctx, w.Dir)
	if err != nil {
		return 0, 0, explain(Config{Name: w.Name, Dir: w.Dir}, err)
	}
	return done.Before, done.After, nil
}

// CompactLater has the next process that opens a workspace compact its file before. Errors are *[schemas.Error].
func CompactLater(w workspace.Workspace) error {
	if err := os.WriteFile(filepath.Join(w.Dir, workspace.CompactFile), nil, 0o600); err != nil {
		return relay.Unusable(w.Name, w.Dir, err)
	}
	return nil
}

// compactAgain is how long an attempt to compact a file is not made again: one that fails may take as long as one that
// does not.
const compactAgain = time.Hour

// compactIfAsked compacts the file of a workspace where somebody asked for it. The caller has the workspace alone. The
// error is [store.ErrLocked], or that of ctx: both leave it to the next. A file that cannot be compacted for another
// reason, as on a full disk, is opened as it is, and stays sound: the log and the mark say why, and it is tried again
// later.
func (c Config) compactIfAsked(ctx context.Context, log *slog.Logger) error {
	mark := filepath.Join(c.Dir, workspace.CompactFile)
	asked, err := os.Stat(mark)
	if err != nil || asked.Size() > 0 && c.Now().Sub(asked.ModTime()).Abs() < compactAgain {
		return nil //nolint:nilerr // nobody asked
	}
	done, err := compact(ctx, c.Dir)
	switch {
	case err == nil:
		log.InfoContext(ctx, "the file was compacted", slog.Int64("bytes_before", done.Before), slog.Int64("bytes_after", done.After))
	case errors.Is(err, store.ErrLocked), ctx.Err() != nil:
		return err
	default:
		log.WarnContext(ctx, "the file could not be compacted", slog.Any("error", err))
		_ = os.WriteFile(mark, []byte(schemas.AsError(explain(c, err)).Message), 0o600) // else it is tried at each start
	}
	return nil
}

// compact compacts the file in a directory, of which nobody asks that any more.
func compact(ctx context.Context, dir string) (bolt.Compacted, error) {
	if err := errEmptied(dir); err != nil {
		return bolt.Compacted{}, err
	}
	done, err := bolt.Compact(ctx, filepath.Join(dir, workspace.StoreFile))
	if err == nil {
		_ = os.Remove(filepath.Join(dir, workspace.CompactFile)) // else it is compacted once more
	}
	return done, err
}

// freeOf tells how many bytes of its file a store does not use; nil for one that cannot tell.
func freeOf(rows store.Backend) func() int64 {
	if file, ok := rows.(*bolt.Store); ok {
		return file.Free
	}
	return nil
}
