package open

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/travel"
	"handoff/tools/platform"
)

// openEngine opens the store of the workspace in dir, or makes an empty store. The caller must have locked the
// workspace. The error wraps [store.ErrLocked] if another process keeps the store open, see [retryWhileLocked].
func openEngine(ctx context.Context, dir string, log *slog.Logger) (b store.Backend, err error) {
	err = retryWhileLocked(ctx, func() error {
		b, err = tryOpen(ctx, dir, log)
		return err
	})
	return b, err
}

const (
	lockAttempts = 600
	lockPause    = 5 * time.Millisecond
)

// retryWhileLocked repeats fn for up to three seconds while its error wraps [store.ErrLocked]. This error can occur for
// a moment even if this process has locked the workspace. A killed process loses the lock of the workspace before the
// lock of the file. A child process keeps the open files of its parent until it runs its program. An owner whose files
// were removed needs time to notice the removal.
func retryWhileLocked(ctx context.Context, fn func() error) (err error) {
	for range lockAttempts {
		if err = fn(); !errors.Is(err, store.ErrLocked) {
			return err
		}
		if !platform.Sleep(ctx, lockPause) {
			return ctx.Err()
		}
	}
	return err
}

// tryOpen makes one attempt of [openEngine].
func tryOpen(ctx context.Context, dir string, log *slog.Logger) (store.Backend, error) {
	if err := checkNotEmptied(dir); err != nil {
		return nil, err
	}
	if (workspace.Workspace{Dir: dir}).IsStoreMissing() {
		workspace.RecordStoreOpened(dir, false) // until the store is made
	}
	b, err := openRows(ctx, bolt.Config{Path: filepath.Join(dir, workspace.StoreFile), Logger: log})
	if err == nil {
		workspace.RecordStoreOpened(dir, true)
	}
	return b, err
}

// checkNotEmptied returns an error if another program emptied the store file, because bbolt would make a new store in
// an empty file. Otherwise it returns nil.
func checkNotEmptied(dir string) error {
	if !workspace.WasStoreEmptied(dir) {
		return nil
	}
	return fmt.Errorf("%w: it is empty, and was not", store.ErrCorrupt)
}

func openRows(ctx context.Context, c bolt.Config) (store.Backend, error) {
	b, err := bolt.Open(ctx, c)
	if err != nil {
		return nil, err // not b: it would be an interface that holds a nil pointer
	}
	return b, nil
}

// copyRows copies the store c.From into a new or empty file of package bolt.
func copyRows(ctx context.Context, c travel.Copy, path string) error {
	if files, is := c.From.(*bolt.Store); is {
		return files.CopyTo(ctx, path)
	}
	to, err := openRows(ctx, bolt.Config{Path: path})
	if err != nil {
		return err
	}
	c.To = to
	_, err = c.Run(ctx)
	if err = errors.Join(err, to.Close()); err != nil {
		_ = os.Remove(path) // the first error tells more
	}
	return err
}

// Compact returns unused space of a workspace's file to the system. The result has the sizes before and after. The
// caller must have locked the workspace with [relay.LockWorkspace]. Errors are *[schemas.Error].
func Compact(ctx context.Context, w workspace.Workspace) (done bolt.CompactResult, err error) {
	if err = checkNotEmptied(w.Dir); err == nil {
		err = retryWhileLocked(ctx, func() error {
			done, err = bolt.Compact(ctx, filepath.Join(w.Dir, workspace.StoreFile))
			return err
		})
	}
	if err != nil {
		return done, explainOpenError(Config{Name: w.Name, Dir: w.Dir}, err)
	}
	return done, nil
}

// freeSpaceOf returns a function that counts the unused bytes in the store's file. It returns nil for an engine that
// does not know this number.
func freeSpaceOf(rows store.Backend) func() int64 {
	if file, ok := rows.(*bolt.Store); ok {
		return file.FreeBytes
	}
	return nil
}
