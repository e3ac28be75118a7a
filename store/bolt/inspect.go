package bolt

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

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
	// A file of a few pages may lack its list of free ones.
	db, openErr := bboltOpen(path, bbolt.Options{ReadOnly: true, PreLoadFreelist: info.Size() <= firstPages})
	if openErr == nil {
		defer func() { _ = db.Close() }() // nothing was written
	}
	if errors.Is(openErr, store.ErrLocked) || errors.Is(openErr, store.ErrReadOnly) {
		return findings{}, openErr
	}
	m, err := readMeta(path)
	if err = cmp.Or(err, openErr); err != nil { // that of readMeta is more exact
		return findings{}, err
	}
	err = db.View(func(tx *bbolt.Tx) error {
		_, err := checkFormat(tx)
		return err
	})
	return findings{synced: m.freelist != noFreelist, size: m.size()}, err
}

// format is the layout of rows that this program writes, and the newest that it reads. It grows when an older program
// could not read the rows.
const format = 1

// The row of [store.Sys] that makes a file ours: "handoff 1".
const (
	formatKey  = "format"
	formatName = "handoff "
)

// checkFormat refuses a file that is no store of handoff, or is newer than this program. A file without any bucket is
// fresh: the process that made it ended before its first commit.
func checkFormat(tx *bbolt.Tx) (fresh bool, err error) {
	if name, _ := tx.Cursor().First(); name == nil {
		return true, nil
	}
	sys := tx.Bucket([]byte(store.Sys.String()))
	if sys == nil {
		return false, fmt.Errorf("%w: a bbolt file of another program", store.ErrForeign)
	}
	number, ours := strings.CutPrefix(string(sys.Get([]byte(formatKey))), formatName)
	n, err := strconv.ParseUint(number, 10, 64)
	if !ours || err != nil {
		return false, fmt.Errorf("%w: a bbolt file of another program", store.ErrForeign)
	}
	if n > format {
		return false, fmt.Errorf("%w: it has format %d, and this program knows %d", store.ErrNewer, n, format)
	}
	return false, nil
}

func writeFormat(tx *bbolt.Tx) error {
	value := fmt.Appendf(nil, "%s%d", formatName, format)
	return tx.Bucket([]byte(store.Sys.String())).Put([]byte(formatKey), value)
}
