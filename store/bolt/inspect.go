package bolt

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// fileState is the state of a file that inspect finds.
type fileState struct {
	synced bool  // the list of free pages is in the file
	fresh  bool  // nothing was ever written to it
	size   int64 // bytes in use
}

// inspectFile reads the file at path without changing it, and refuses a file that is no store. It accepts a missing
// file and an empty file, because Open makes a store of them.
func inspectFile(path string) (found fileState, err error) {
	defer recoverAsDamage(&err)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileState{synced: true}, nil
	case err != nil:
		return fileState{}, toStoreError(err)
	case !info.Mode().IsRegular():
		return fileState{}, fmt.Errorf("%w: not a regular file", store.ErrForeign)
	case info.Size() == 0:
		return fileState{synced: true}, nil
	}
	// In a file that has only its first pages, bbolt looks for the free pages at once, because the file may lack their
	// list.
	db, openErr := openBbolt(path, bbolt.Options{ReadOnly: true, PreLoadFreelist: info.Size() <= firstPages})
	if openErr == nil {
		defer func() { _ = db.Close() }() // nothing was written
	}
	if errors.Is(openErr, store.ErrLocked) || errors.Is(openErr, store.ErrReadOnly) {
		return fileState{}, openErr
	}
	m, err := readMeta(path)
	if err = cmp.Or(err, openErr); err != nil { // the error of readMeta is more exact
		return fileState{}, err
	}
	found = fileState{synced: m.freelist != noFreelist, size: m.usedBytes()}
	err = db.View(func(tx *bbolt.Tx) (err error) {
		found.fresh, err = checkFormat(tx)
		return err
	})
	return found, err
}

// format is the version of the layout of rows that this program writes, and the newest that it reads. A later program
// raises it if this program could not read the new rows.
const format = 1

// The row of [store.Sys] by which a file is known as a store of handoff: "handoff 1".
const (
	formatKey  = "format"
	formatName = "handoff "
)

// checkFormat refuses a file that is no store of handoff, or that a newer program wrote. Fresh is true for a file
// without buckets: the process that made the file ended before its first commit.
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

// A bbolt file begins with two meta pages, written in turn; the newest whole one is valid. bbolt does not report
// whether it has to search a file for its free pages, nor whether the file has all its pages; reading a missing page
// ends the process. So we read the meta pages ourselves. Numbers are in the byte order of the machine.

const (
	metaOffset = 16 // of the meta in its page, after the header
	metaLength = 64
	metaMagic  = 0xED0CDAED
	metaLayout = 2
	noFreelist = ^uint64(0) // the list of free pages was not written
)

// metaPage holds the fields of a meta page that we use.
type metaPage struct {
	pageSize uint32
	root     uint64 // page of the root of the tree
	freelist uint64 // page of the list of free pages, or noFreelist
	pages    uint64 // in use, from the beginning of the file
	txid     uint64
}

func (m metaPage) usedBytes() int64 {
	return int64(m.pages) * int64(m.pageSize) //nolint:gosec // checked against the size of the file
}

// readMeta reads the valid meta page. The error is [store.ErrForeign] if the file is not a bbolt file, and
// [store.ErrCorrupt] if it is damaged.
func readMeta(path string) (metaPage, error) {
	f, err := os.Open(path)
	if err != nil {
		return metaPage{}, toStoreError(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return metaPage{}, err
	}
	newest, bbolt, whole := readMetas(f)
	switch {
	case !bbolt:
		return metaPage{}, store.ErrForeign
	case whole == 0:
		return metaPage{}, fmt.Errorf("%w (its first two pages)", store.ErrCorrupt)
	case newest.usedBytes() < 0 || newest.usedBytes() > info.Size():
		return metaPage{}, fmt.Errorf("%w (it ends after %d of %d bytes)", store.ErrCorrupt, info.Size(), newest.usedBytes())
	}
	return newest, nil
}

// readMetas returns the newest whole meta page, and the number of whole ones. Bbolt reports whether the file begins like a
// bbolt file.
func readMetas(file io.ReaderAt) (newest metaPage, bbolt bool, whole int) {
	for _, page := range []int64{0, pageSize} {
		b := make([]byte, metaLength)
		if _, err := file.ReadAt(b, page+metaOffset); err != nil {
			continue // too short, as a file of another program may be
		}
		m, magic, valid := parseMeta(b)
		if bbolt = bbolt || magic; valid {
			whole++
		}
		if valid && (whole == 1 || m.txid > newest.txid) {
			newest = m
		}
	}
	return newest, bbolt, whole
}

// parseMeta decodes a meta page. Magic reports whether b begins like a meta page of bbolt. Valid reports whether the
// page is complete and has the layout that this program knows.
func parseMeta(b []byte) (m metaPage, magic, valid bool) {
	order := binary.NativeEndian
	m = metaPage{
		pageSize: order.Uint32(b[8:]),
		root:     order.Uint64(b[16:]),
		freelist: order.Uint64(b[32:]),
		pages:    order.Uint64(b[40:]),
		txid:     order.Uint64(b[48:]),
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:56]) // never fails
	magic = order.Uint32(b) == metaMagic
	return m, magic, magic && order.Uint32(b[4:]) == metaLayout && order.Uint64(b[56:]) == sum.Sum64()
}
