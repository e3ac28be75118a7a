package open

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/store"
	"handoff/store/bolt"
)

// openEngine opens the rows of the workspace in dir, or makes them. Everything above asks only for a [store.Backend]: a
// second engine is chosen here. The error wraps [store.ErrLocked] while another process has the rows open.
func openEngine(ctx context.Context, dir string, log *slog.Logger) (store.Backend, error) {
	return openRows(ctx, bolt.Config{Path: filepath.Join(dir, workspace.StoreFile), Logger: log})
}

func openRows(ctx context.Context, c bolt.Config) (store.Backend, error) {
	b, err := bolt.Open(ctx, c)
	if err != nil {
		return nil, err // not b: it would be an interface that holds a nil pointer
	}
	return b, nil
}

// copyRows keeps what a store has in a new file, which bbolt can open.
func copyRows(ctx context.Context, from store.Backend, path string) error {
	if files, is := from.(*bolt.Store); is {
		return files.CopyTo(ctx, path)
	}
	to, err := bolt.Open(ctx, bolt.Config{Path: path})
	if err != nil {
		return err
	}
	_, err = store.Copy{From: from, To: to}.Run(ctx)
	if err = errors.Join(err, to.Close()); err != nil {
		_ = os.Remove(path) // the first error tells more
	}
	return err
}

// engineFiles are the files in which the engine keeps the rows of the workspace in dir.
func engineFiles(dir string) []string { return []string{filepath.Join(dir, workspace.StoreFile)} }
