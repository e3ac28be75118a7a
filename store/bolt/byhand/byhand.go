// Package byhand is only for benchmarks: it commits the same keys and bytes as our store did with bbolt alone, grouped
// by hand, so that the difference is what the layers above bbolt cost.
//
// A [Recorder] keeps the rows that the typed layers wrote to a backend. A [DB] commits them again and has nothing to
// decide, encode or read.
package byhand

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// most is how many transactions are committed together, as package bolt does.
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
		for _, write := range slices.Concat(together...) {
			if err := write(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Replay commits transactions with the given number of callers. Each caller waits for its transaction before it asks
// for the next; transactions that wait at the same time are committed together. The error joins those of all commits.
func (d *DB) Replay(callers int, all []Transaction) (err error) {
	todo, line := make(chan Transaction, len(all)), make(chan request, callers)
	for _, t := range all {
		todo <- t
	}
	close(todo)
	var asking sync.WaitGroup
	for range callers {
		asking.Go(func() {
			for t := range todo {
				done := make(chan struct{})
				line <- request{t, done}
				<-done
			}
		})
	}
	go func() {
		asking.Wait()
		close(line)
	}()
	for r := range line {
		group, together := []request{r}, []Transaction{r.t}
		for len(line) > 0 && len(group) < most {
			r := <-line
			group, together = append(group, r), append(together, r.t)
		}
		err = errors.Join(err, d.Commit(together...))
		for _, r := range group {
			close(r.done)
		}
	}
	return err
}

type request struct {
	t    Transaction
	done chan struct{} // closed when it was committed
}

// Transaction are the writes of one Update.
type Transaction []func(*bbolt.Tx) error

// Recorder is a backend that keeps the writes of every transaction.
type Recorder struct {
	store.Backend

	mu   sync.Mutex // guards the field below
	done []Transaction
}

// Record begins to keep the writes to a backend.
func Record(b store.Backend) *Recorder { return &Recorder{Backend: b} }

// Transactions returns the transactions that took effect, in the order of their ends.
func (r *Recorder) Transactions() []Transaction {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// Update implements [store.Backend].
func (r *Recorder) Update(ctx context.Context, fn func(store.Writer) error) error {
	var t Transaction
	err := r.Backend.Update(ctx, func(w store.Writer) error {
		t = nil
		return fn(&recording{w, &t})
	})
	if err == nil && len(t) > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done = append(r.done, t)
	}
	return err
}

type recording struct {
	store.Writer
	to *Transaction
}

func (w *recording) Put(s store.Space, key, value []byte) error {
	bucket, key, value := []byte(s.String()), bytes.Clone(key), bytes.Clone(value)
	*w.to = append(*w.to, func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put(key, value) })
	return w.Writer.Put(s, key, value)
}

func (w *recording) Delete(s store.Space, key []byte) error {
	bucket, key := []byte(s.String()), bytes.Clone(key)
	*w.to = append(*w.to, func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Delete(key) })
	return w.Writer.Delete(s, key)
}
