package bolt

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"handoff/store"
)

var _ store.Inspector = (*Store)(nil)

// maxFaults is the largest number of page faults that Inspect returns. One damaged page often causes many faults, so
// more faults would not help.
const maxFaults = 20

// Inspect checks that each page of the file can be read, has its keys in order, and is either used once or free.
//
// First it reads all rows while other calls continue. This finds damage at which bbolt's own check would end the
// process. Then bbolt checks its pages, and changes wait for a second or two for each gigabyte. Inspect keeps some
// hundred bytes for each page in memory.
func (s *Store) Inspect(ctx context.Context) (faults []string, err error) {
	if err := s.View(ctx, readAllRows); err != nil {
		return nil, err
	}
	err = s.Update(ctx, func(store.Writer) error {
		faults = nil
		return s.readTx(func(tx *bbolt.Tx) error {
			if err := checkPages(s.config.Path); err != nil {
				return err
			}
			for fault := range tx.Check() {
				if len(faults) < maxFaults {
					faults = append(faults, fault.Error())
				}
			}
			return nil
		})
	})
	return faults, err
}

// checkPages checks that all pages of the tree are within the file, and their elements within the pages. Otherwise bbolt's
// check would end the process, or allocate memory for the wrong length in a damaged page.
func checkPages(path string) error {
	m, err := readMeta(path)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return toStoreError(err)
	}
	defer func() { _ = file.Close() }() // only for reading
	w := pageWalk{file: file, end: m.pages, seen: map[uint64]bool{}, keep: func(store.IndexRow) {}}
	w.walk(m.root, store.Spaces)
	if m.freelist != noFreelist && w.page(m.freelist) == nil {
		w.damaged = append(w.damaged, m.freelist)
	}
	if len(w.damaged) > 0 {
		return fmt.Errorf("%w (pages %v cannot be read)", store.ErrCorrupt, w.damaged[:min(len(w.damaged), maxFaults)])
	}
	return nil
}

func readAllRows(r store.Reader) error {
	for s := range store.Spaces {
		for _, err := range r.Scan(store.Range{Space: s}) {
			if err != nil {
				return fmt.Errorf("read the rows of %s: %w", s, err)
			}
		}
	}
	return nil
}

// CopyTo writes the store as it is now to a new file. The file is durable when CopyTo returns. Other calls continue
// meanwhile. If the file exists, CopyTo returns an error of the system. After an error CopyTo removes the new file.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return toStoreError(err)
	}
	if err = cmp.Or(s.WriteTo(ctx, f), f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // the first error tells more
		return toStoreError(err)
	}
	syncDirs(path)
	return nil
}
