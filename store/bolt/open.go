package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"

	"handoff/store"
	"handoff/tools/platform"
)

const pageSize = 4096

// openFileToWrite opens the file and reports whether its list of free pages was in the file.
func openFileToWrite(ctx context.Context, c Config) (db *bbolt.DB, synced bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return nil, false, toStoreError(err)
	}
	found, err := inspectFile(c.Path)
	if errors.Is(err, store.ErrForeign) || errors.Is(err, store.ErrCorrupt) {
		empty, unknown := lacksFirstCommit(c.Path)
		if err = cmp.Or(toStoreError(unknown), err); empty { // on a full disk it is not to be called damaged
			c.Logger.WarnContext(ctx, "the store was not even made when its process ended: making it again")
			found, err = fileState{synced: true}, toStoreError(os.Truncate(c.Path, 0))
		}
	}
	if err != nil {
		return nil, false, err
	}
	if !found.synced {
		c.Logger.InfoContext(ctx, "the store was not closed: reading it through", slog.Int64("bytes", found.size))
		if err := preloadFile(ctx, c.Path, found.size); err != nil {
			return nil, false, err
		}
	}
	if db, err = openAccepted(c); err == nil && found.size == 0 {
		syncDirs(c.Path)
	}
	return db, found.synced, err
}

// openAccepted opens a file that inspectFile accepted, and makes its missing buckets.
func openAccepted(c Config) (*bbolt.DB, error) {
	db, err := openBbolt(c.Path, bbolt.Options{NoFreelistSync: true, InitialMmapSize: mapSize})
	if errors.Is(err, syscall.ENOMEM) {
		c.Logger.Warn("too little address space: long views will hold up writers")
		db, err = openBbolt(c.Path, bbolt.Options{NoFreelistSync: true})
	}
	if err != nil {
		return nil, err
	}
	if err := initialiseFile(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// openBbolt opens path with the options that all callers have in common.
func openBbolt(path string, o bbolt.Options) (db *bbolt.DB, err error) {
	o.Timeout = 50 * time.Millisecond // one attempt; zero would wait for ever
	o.PageSize = pageSize             // a machine's may be larger, and so would each commit
	o.FreelistType = bbolt.FreelistMapType
	var file *os.File
	o.OpenFile = func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		file, err = openFile(name, flag, mode)
		return file, err
	}
	defer func() {
		if errors.Is(err, store.ErrCorrupt) { // it panicked
			_ = platform.Unlock(file) // else the lock lives as long as the mapping of the file, which cannot be undone
			_ = file.Close()
		}
	}()
	defer recoverAsDamage(&err)
	db, err = bbolt.Open(path, 0o600, &o)
	return db, toStoreError(err)
}

// initialiseFile writes the format and the missing buckets into a file. It writes nothing if the file is complete.
func initialiseFile(db *bbolt.DB) (err error) {
	defer recoverAsDamage(&err)
	complete := false
	err = db.View(func(tx *bbolt.Tx) error {
		fresh, err := checkFormat(tx)
		complete = !fresh && hasBuckets(tx)
		return err
	})
	if err != nil || complete {
		return err
	}
	db.NoFreelistSync = false // so that a new file has its list of free pages
	defer func() { db.NoFreelistSync = true }()
	return toStoreError(db.Update(func(tx *bbolt.Tx) error {
		for s := range store.Spaces {
			if _, err := tx.CreateBucketIfNotExists([]byte(s.String())); err != nil {
				return err
			}
		}
		value := fmt.Appendf(nil, "%s%d", formatName, format)
		return tx.Bucket([]byte(store.Sys.String())).Put([]byte(formatKey), value)
	}))
}

func hasBuckets(tx *bbolt.Tx) bool {
	for s := range store.Spaces {
		if tx.Bucket([]byte(s.String())) == nil {
			return false
		}
	}
	return true
}

// preloadFile reads the first size bytes of a file in order, so that the system has them in memory. Then bbolt's search
// for free pages, which reads in another order, is fast.
func preloadFile(ctx context.Context, path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return toStoreError(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	_, err = io.CopyBuffer(cancellableWriter{ctx, io.Discard}, io.LimitReader(f, size), make([]byte, 1<<20))
	if err != nil {
		return fmt.Errorf("read through: %w", err)
	}
	return nil
}

// reopen closes the file, opens it again and calls check with the open file. Views wait until check has returned. After
// an error the store has no open file.
func (s *Store) reopen(check func(*bbolt.DB) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		s.dbErr = s.db.Close()
		s.db = nil
	}
	db, err := openAccepted(s.config)
	if err == nil {
		if err = check(db); err != nil {
			err = errors.Join(err, db.Close())
		}
	}
	if err != nil {
		s.dbErr = fmt.Errorf("open store again: %w", errors.Join(err, s.dbErr))
		return s.dbErr
	}
	s.db, s.dbErr = db, nil
	return nil
}

// closeFile closes the file for good, after the last View has ended.
func (s *Store) closeFile() error {
	s.mu.Lock()
	db := s.db
	s.db, s.dbErr = nil, store.ErrClosed
	s.mu.Unlock()
	if db == nil {
		return nil
	}
	return db.Close()
}

// bbolt makes a file by writing and syncing its first pages. After a power cut, some sectors of these pages may contain
// zeros. The first commit makes the file much larger. So a file that is not larger than these pages, and has no other
// contents, never had a commit, and no acknowledged row is lost with it.

const (
	firstPages = 4 * pageSize
	sectorSize = 512
)

// lacksFirstCommit reports whether the file at path never had a commit, so that no acknowledged row can be lost with
// the file.
func lacksFirstCommit(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > firstPages {
		return false, err
	}
	content, err := os.ReadFile(path)
	fresh, failed := newFileContent()
	if err != nil || failed != nil {
		return false, errors.Join(err, failed)
	}
	for at := 0; at < len(content); at += sectorSize {
		sector := content[at:min(at+sectorSize, len(content))]
		if len(bytes.Trim(sector, "\x00")) > 0 && !bytes.HasPrefix(fresh[min(at, len(fresh)):], sector) {
			return false, nil
		}
	}
	return true, nil
}

// newFileContent returns the content of a file that bbolt has just made.
func newFileContent() ([]byte, error) {
	dir, err := os.MkdirTemp("", "handoff-fresh-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is no longer needed
	path := filepath.Join(dir, "fresh.db")
	db, err := openBbolt(path, bbolt.Options{NoFreelistSync: true})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// syncDirs makes the directory entry of a new file durable, and the entries of all directories above it, because these
// may be new too. It ignores errors: some systems cannot sync a directory.
func syncDirs(path string) {
	for dir := filepath.Dir(path); platform.SyncDir(dir) == nil && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
	}
}
