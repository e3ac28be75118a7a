// Package byhand is only for benchmarks: it commits the same keys and bytes as our store did with bbolt alone, grouped
// by hand, so that the difference is what the layers above bbolt cost.
//
// A [Recorder] keeps the rows that the typed layers wrote to a backend. A [DB] commits them again and has nothing to
// decide, encode or read.
package byhand

import (
	"fmt"
	"sync"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// most is how many transactions are committed together.
const most = 512

// DB is a bbolt file with a bucket for each space.
type DB struct{ db *bbolt.DB }

// Open makes a file with the options of package bolt. The path must not exist.
func Open(path string) (*DB, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, PageSize: 4096, InitialMmapSize: 16 << 30,
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &DB{db}, db.Update(func(tx *bbolt.Tx) error {
		for s := range store.Spaces {
			if _, err := tx.CreateBucketIfNotExists([]byte(s.String())); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes the file.
func (d *DB) Close() error { return d.db.Close() }

// Commit makes transactions durable in one commit.
func (d *DB) Commit(together ...Transaction) error {
	return d.db.Update(func(tx *bbolt.Tx) error {
		for _, t := range together {
			if err := t.apply(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t Transaction) apply(tx *bbolt.Tx) error {
	for _, w := range t {
		bucket := tx.Bucket([]byte(w.space.String()))
		var err error
		if w.deleted {
			err = bucket.Delete(w.key)
		} else {
			err = bucket.Put(w.key, w.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Replay commits transactions with the given number of callers. Each caller waits for its transaction before it asks
// for the next; transactions that wait at the same time are committed together.
func (d *DB) Replay(callers int, all []Transaction) error {
	line := make(chan request, callers)
	var writer, asking sync.WaitGroup
	writer.Go(func() { d.serve(line) })
	todo := make(chan Transaction)
	errs := make(chan error, callers)
	for range callers {
		asking.Go(func() { errs <- ask(line, todo) })
	}
	for _, t := range all {
		todo <- t
	}
	close(todo)
	asking.Wait()
	close(line)
	writer.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type request struct {
	t    Transaction
	done chan error
}

func ask(line chan<- request, todo <-chan Transaction) (failed error) {
	done := make(chan error, 1)
	for t := range todo {
		line <- request{t, done}
		if err := <-done; err != nil {
			failed = err // the rest is drained, so that nobody waits for ever
		}
	}
	return failed
}

func (d *DB) serve(line <-chan request) {
	for first := range line {
		group := []request{first}
		for len(line) > 0 && len(group) < most {
			group = append(group, <-line)
		}
		together := make([]Transaction, len(group))
		for i, r := range group {
			together[i] = r.t
		}
		err := d.Commit(together...)
		for _, r := range group {
			r.done <- err
		}
	}
}
