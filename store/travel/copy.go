package travel

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

// ErrNotEmpty means that somebody has used a store. It was not touched.
var ErrNotEmpty = errors.New("it is not empty")

// A Copy moves all rows of a store into one in which nothing was ever sent, and which has no token. The caller owns both
// stores: nobody else writes meanwhile.
//
// The rows may be those of a backup, and the store is there from which that came. At no time that and the target may both
// be used: the target is [ErrUnfinished] from before its first row until after the other was told that it is [Moved]. One
// that another owner took over refuses to be told that. A copy that ends early is done again, from its beginning.
type Copy struct {
	To, From store.Backend
	Moves    store.Backend // is told that it is moved, where its registry is what arrived; nil for none
	Place    string        // of the target, for Moved
	Unproved bool          // the caller compares both, and none is moved
}

// CopyResult is what a copy did.
type CopyResult struct {
	Moved bool
	Audit schemas.AuditOut // of both stores, where they were compared
}

// Run copies all rows. The error is [ErrNotEmpty] when the target was used, unless a copy into it was not finished, and
// [ErrUnfinished] or a [*Moved] when one of both is not to be used; then nothing was changed.
func (c Copy) Run(ctx context.Context) (done CopyResult, err error) {
	if err := c.begin(ctx); err != nil {
		return done, err
	}
	for s := range store.Spaces {
		if err := eachBatch(ctx, c.To, c.To, s, func(w store.Writer, row store.Row) error { return w.Delete(s, row.Key) }); err != nil {
			return done, fmt.Errorf("make room for the rows of %s: %w", s, err)
		}
	}
	for s := range store.Spaces {
		if err := eachBatch(ctx, c.From, c.To, s, func(w store.Writer, row store.Row) error { return w.Put(s, row.Key, row.Value) }); err != nil {
			return done, fmt.Errorf("copy the rows of %s: %w", s, err)
		}
	}
	if !c.Unproved {
		if done.Audit, err = c.compare(ctx); err != nil {
			return done, err
		}
	}
	if c.Moves != nil {
		if done.Moved, err = c.move(ctx, done.Audit); err != nil {
			return done, err
		}
	}
	return done, Reopen(ctx, c.To)
}

// move tells the store from which the rows came that it is moved. One that went on since then is another one.
func (c Copy) move(ctx context.Context, arrived schemas.AuditOut) (bool, error) {
	has, err := audit.Registry(ctx, store.New(c.Moves))
	if err != nil || has.Root != arrived.Root || has.Events != arrived.Events {
		return false, err
	}
	return true, setCopyMark(ctx, c.Moves, c.Place)
}

// begin refuses what cannot be copied, and notes in the target that a copy begins.
func (c Copy) begin(ctx context.Context) error {
	if err := Usable(ctx, c.From); err != nil {
		return err
	}
	if to := Usable(ctx, c.To); !errors.Is(to, ErrUnfinished) {
		use, err := HasWork(ctx, c.To)
		if to != nil || err != nil {
			return cmp.Or(to, err)
		}
		if use {
			return ErrNotEmpty
		}
	}
	return setCopyMark(ctx, c.To, "")
}

// compare makes sure that the registries are the same.
func (c Copy) compare(ctx context.Context) (schemas.AuditOut, error) {
	from, err := audit.Registry(ctx, store.New(c.From))
	if err != nil {
		return from, fmt.Errorf("verify the registry: %w", err)
	}
	to, err := audit.Registry(ctx, store.New(c.To))
	if err == nil && (to.Root != from.Root || to.Events != from.Events || to.Handoffs != from.Handoffs || to.OK != from.OK) {
		err = fmt.Errorf("its root is %s, and was %s: %w", to.Root, from.Root, store.ErrCorrupt)
	}
	if err != nil {
		return to, fmt.Errorf("verify the copy: %w", err)
	}
	return to, nil
}

// What is read and written at once.
const (
	batchRows  = 1_000
	batchBytes = 1 << 20 // its last row goes beyond
)

// nextBatch gives the next rows behind a key that do not stay.
func nextBatch(ctx context.Context, b store.Backend, s store.Space, key []byte) (rows []store.Row, err error) {
	if key != nil {
		key = slices.Concat(key, []byte{0})
	}
	err = b.View(ctx, func(r store.Reader) error {
		rows = nil
		size := 0
		for row, err := range r.Scan(store.Range{Space: s, From: key}) {
			if err != nil {
				return err
			}
			if isLocal(s, row.Key) {
				continue
			}
			rows = append(rows, store.Row{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
			if size += len(row.Key) + len(row.Value); len(rows) == batchRows || size > batchBytes {
				break
			}
		}
		return nil
	})
	return rows, err
}

// eachBatch gives all rows of a space that do not stay to fn, a batch at a time, which writes them to a store.
func eachBatch(ctx context.Context, from, to store.Backend, s store.Space, write func(store.Writer, store.Row) error) error {
	var key []byte
	for {
		rows, err := nextBatch(ctx, from, s, key)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := store.UpdateEach(ctx, to, rows, write); err != nil {
			return err
		}
		key = rows[len(rows)-1].Key
	}
}
