package open

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/bolt"
	"handoff/store/travel"
)

// backupWriter returns a function that writes the current store into an existing file. It returns nil if the engine has
// no file. The command that makes a backup makes the file before the call, and removes it after an error.
func backupWriter(rows store.Backend) func(ctx context.Context, path string) error {
	from, ok := rows.(interface {
		WriteTo(ctx context.Context, w io.Writer) error
	})
	if !ok {
		return nil
	}
	return func(ctx context.Context, path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return schemas.Errorf(schemas.NotFound, "process %d, which has the workspace open, does not see %s", os.Getpid(), path).
				WithHint("It may run in a container: name a file in a directory that both see.")
		}
		if err != nil {
			return err
		}
		if err = checkEmptyFile(f); err == nil {
			err = from.WriteTo(ctx, f)
		}
		if err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	}
}

// checkEmptyFile refuses a file with content, because the backup would replace the content. It also refuses a file that
// is not regular (such as a device), and a relative path.
func checkEmptyFile(f *os.File) error {
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > 0 || !filepath.IsAbs(f.Name())) {
		err = schemas.Invalidf("file", "%s is no empty file with a path from the root", f.Name()).
			WithHint("handoff backup FILE makes one. Nothing was written.")
	}
	return err
}

// BackUpDatabase writes the current rows of a workspace in a database into an empty file. If the database fails, the
// error is a *[schemas.Error]. Other errors are errors of the store.
func BackUpDatabase(ctx context.Context, name string, node *cluster.Node, path string) error {
	return node.ReadSnapshot(ctx, name, func(rows store.Backend) error {
		err := copyRows(ctx, travel.Copy{From: rows, Unproved: true}, path)
		return cmp.Or(explainUnusableStore(name, err), err)
	})
}

// ReadBackup opens a store file read-only while fn runs.
func ReadBackup(ctx context.Context, path string, fn func(store.Backend) error) error {
	rows, err := openRows(ctx, bolt.Config{Path: path, ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(fn(rows), rows.Close())
}

// VerifyBackup reads a whole store file and returns a summary of its contents. It refuses a store that was moved or is
// incomplete, because such a store is no backup.
func VerifyBackup(ctx context.Context, path string) (c audit.StoreSummary, err error) {
	err = ReadBackup(ctx, path, func(rows store.Backend) error {
		if err := travel.CheckUsable(ctx, rows); err != nil {
			return err
		}
		c, err = audit.VerifyStore(ctx, store.New(rows))
		return err
	})
	return c, err
}

// discardLog drops all lines.
var discardLog = slog.New(slog.DiscardHandler)
