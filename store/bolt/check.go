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

// maxFaults is the number of page faults that Inspect returns. One damaged page often causes many faults, so more would
// tell nothing new.
const maxFaults = 20

// Inspect checks that each page can be read and has its keys in order, is used once, and is either used or free.
//
// First it reads all rows while other calls go on: this finds damage at which bbolt's own check would end the process.
// Then bbolt checks its pages. The list of free pages must not change meanwhile, so the writer runs the check, and
// changes wait: a second or two for each gigabyte. It keeps some hundred bytes of each page in memory.
func (s *Store) Inspect(ctx context.Context) (faults []string, err error) {
	if err := s.View(ctx, readAllRows); err != nil {
		return nil, err
	}
	err = s.Update(ctx, func(store.Writer) error {
		faults = nil
		tx, err := s.beginTx(false)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // nothing was written
		if err := checkPageEnds(tx); err != nil {
			return err
		}
		for fault := range tx.Check() {
			if len(faults) < maxFaults {
				faults = append(faults, fault.Error())
			}
		}
		return nil
	})
	return faults, err
}

// checkPageEnds checks that each page ends within the file. bbolt's check would allocate memory for the length that a
// page claims.
func checkPageEnds(tx *bbolt.Tx) (err error) {
	defer recoverAsDamage(&err)
	end := int(tx.Size() / pageSize)
	for id := 0; ; id++ {
		switch p, err := tx.Page(id); {
		case err != nil || p == nil:
			return err
		case p.Type == "free":
		case p.OverflowCount >= end-id:
			return fmt.Errorf("%w (page %d goes beyond the end)", store.ErrCorrupt, id)
		default:
			id += p.OverflowCount
		}
	}
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

// CopyTo writes the store as it is now to a new file, which is durable when CopyTo returns. Other calls go on
// meanwhile. If a file of that name exists, the error is the system's. After an error the new file is removed.
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
