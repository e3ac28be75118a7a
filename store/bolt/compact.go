package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"handoff/schemas"
	"handoff/store"
	"handoff/tools/platform"
)

// CompactResult is the size of the file before and after [Compact], in bytes.
type CompactResult struct{ Before, After int64 }

// Compact writes the rows of the file at path into a new file without free pages, and replaces the old file by the new
// one. Before that, it compares all rows, lets bbolt check the pages, and opens the new file. The caller keeps other
// processes from opening the file, and makes sure that the disk has space for a second file.
//
// After an error, or if the process dies, the file at path is the old or the new file, with the same rows. A second
// file may remain, which [RemoveLeftovers] removes. The errors are the errors of [Open], [store.ErrFull], and errors of
// the system.
func Compact(ctx context.Context, path string) (done CompactResult, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a damaged page may lead outside the file
	if err := RemoveLeftovers(path); err != nil {
		return done, err
	}
	fresh := path + ".new"
	source, _, err := openFileToWrite(ctx, Config{Path: path}.withDefaults())
	if err != nil {
		return done, fmt.Errorf("open store %s: %w", path, err)
	}
	if done.Before, err = sizeOf(path); err == nil {
		err = copyAndVerify(ctx, source, fresh)
	}
	if err == nil {
		done.After, err = sizeOf(fresh)
		err = errors.Join(err, copyOwner(fresh, path), verifyOpens(ctx, fresh))
	}
	if err == nil && done.After >= done.Before { // as of a file that was compacted before
		done.After = done.Before
		return done, errors.Join(source.Close(), removeIfExists(fresh))
	}
	// At every moment there is a file at path, because a process that finds no file makes an empty store.
	if err = cmp.Or(err, source.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return done, errors.Join(toStoreError(err), removeIfExists(fresh))
	}
	syncDirs(path)
	return done, nil
}

// copyOwner gives a new file to the owner of the old file. So a file that root compacts still belongs to its user.
func copyOwner(path, of string) error {
	info, err := os.Stat(of)
	if err != nil {
		return err
	}
	if uid, gid, known := platform.FileOwner(info); known && uid != os.Geteuid() {
		return os.Chown(path, uid, gid)
	}
	return nil
}

// verifyOpens checks that a file can be opened as a store.
func verifyOpens(ctx context.Context, path string) error {
	s, err := Open(ctx, Config{Path: path})
	if err != nil {
		return err
	}
	return s.Close()
}

// RemoveLeftovers removes the files that [Compact] left next to path when its process died: the unfinished file, whose
// name ends with ".new", and a file of an older version, whose name ends with ".old". The caller keeps other processes
// from opening the file at path, and has checked that this file can be opened.
func RemoveLeftovers(path string) error {
	return errors.Join(removeIfExists(path+".new"), removeIfExists(path+".old"))
}

func removeIfExists(path string) error { return schemas.IgnoreError(os.ErrNotExist, os.Remove(path)) }

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// copyAndVerify writes the rows of source into a new file, and compares the rows of both files.
func copyAndVerify(ctx context.Context, source *bbolt.DB, path string) (err error) {
	defer recoverAsDamage(&err)
	target, err := openBbolt(path, bbolt.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if err := bbolt.Compact(target, source, maxBytes); err != nil {
		return err
	}
	return source.View(func(was *bbolt.Tx) error {
		return target.View(func(now *bbolt.Tx) error {
			for fault := range now.Check() {
				err = errors.Join(err, fault)
			}
			for s := store.Space(0); err == nil && s < store.Spaces; s++ {
				err = compareRows(ctx, was.Bucket([]byte(s.String())).Cursor(), now.Bucket([]byte(s.String())).Cursor())
			}
			return err
		})
	})
}

// compareRows compares all rows of a space with the rows of another file.
func compareRows(ctx context.Context, was, now *bbolt.Cursor) error {
	key, value := was.First()
	for k, v := now.First(); ; k, v = now.Next() {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !bytes.Equal(k, key) || !bytes.Equal(v, value):
			return fmt.Errorf("%w: a copied row is not as it was", store.ErrCorrupt)
		case k == nil:
			return nil
		}
		key, value = was.Next()
	}
}
