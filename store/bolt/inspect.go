package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// findings are what inspect finds out about a file.
type findings struct {
	synced bool  // the list of free pages is in the file
	size   int64 // bytes in use
}

// inspect reads the file at path without changing a byte, and refuses one that is no store. No file and an empty file
// are fine: they become a store.
func inspect(path string) (found findings, err error) {
	defer recoverDamage(&err)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return findings{synced: true}, nil
	case err != nil:
		return findings{}, classify(err)
	case !info.Mode().IsRegular():
		return findings{}, fmt.Errorf("%w: not a regular file", store.ErrForeign)
	case info.Size() == 0:
		return findings{synced: true}, nil
	}
	db, openErr := bboltOpen(path, bbolt.Options{ReadOnly: true})
	if openErr == nil {
		defer func() { _ = db.Close() }() // nothing was written
	}
	if errors.Is(openErr, store.ErrLocked) || errors.Is(openErr, store.ErrReadOnly) {
		return findings{}, openErr
	}
	m, err := readMeta(path) // its error is more exact than openErr
	if err == nil {
		err = openErr
	}
	if err != nil {
		return findings{}, err
	}
	err = db.View(func(tx *bbolt.Tx) error {
		_, err := checkFormat(tx)
		return err
	})
	return findings{synced: m.freelist != noFreelist, size: m.size()}, err
}
