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

// ErrNotEmpty means that a store was used before. It was not touched.
var ErrNotEmpty = errors.New("it is not empty")

// Copy copies all rows of a store into another store, which has no handoffs, no messages and no tokens. The caller owns
// both stores, so no other process writes meanwhile.
//
// The original and the copy must never be in use at the same time. The original is From, or a store of which From is a
// backup. So [Copy.Run] first marks the target as unfinished, and [CheckUsable] returns [ErrUnfinished] for it. At the
// end, Run marks the original as moved, and then makes the target usable. A copy that ended early is repeated from its
// beginning.
type Copy struct {
	To, From store.Backend
	Moves    store.Backend // is marked as moved, if its registry equals the copy; nil for none
	Place    string        // name of the target, for Moved
	Unproved bool          // the caller compares both, and none is marked as moved
}

// CopyResult is the result of a copy.
type CopyResult struct {
	Moved bool
	Audit schemas.AuditOut // of both stores, if they were compared
}

// Run copies all rows. The error is [ErrNotEmpty] if the target was used, unless an earlier copy into the target was
// unfinished. It is [ErrUnfinished] or a [*MovedError] if one of the two stores must not be used. After these errors
// nothing was changed.
func (c Copy) Run(ctx context.Context) (done CopyResult, err error) {
	if err := c.prepareTarget(ctx); err != nil {
		return done, err
	}
	for s := range store.Spaces {
		if err := writeInBatches(ctx, c.To, c.To, s, func(w store.Writer, row store.Row) error { return w.Delete(s, row.Key) }); err != nil {
			return done, fmt.Errorf("make room for the rows of %s: %w", s, err)
		}
		if err := writeInBatches(ctx, c.From, c.To, s, func(w store.Writer, row store.Row) error { return w.Put(s, row.Key, row.Value) }); err != nil {
			return done, fmt.Errorf("copy the rows of %s: %w", s, err)
		}
	}
	if !c.Unproved {
		if done.Audit, err = c.compareRegistries(ctx); err != nil {
			return done, err
		}
	}
	if c.Moves != nil {
		if done.Moved, err = c.markMoved(ctx, done.Audit); err != nil {
			return done, err
		}
	}
	return done, RemoveCopyMark(ctx, c.To)
}

// markMoved marks the original store as moved, and reports whether it did. It does not mark a store whose registry
// differs from the copy.
func (c Copy) markMoved(ctx context.Context, arrived schemas.AuditOut) (bool, error) {
	has, err := audit.VerifyRegistry(ctx, store.New(c.Moves))
	if err != nil || has.Root != arrived.Root || has.Events != arrived.Events {
		return false, err
	}
	return true, setCopyMark(ctx, c.Moves, c.Place)
}

// prepareTarget refuses stores that cannot be copied, and marks the target as unfinished.
func (c Copy) prepareTarget(ctx context.Context) error {
	if err := CheckUsable(ctx, c.From); err != nil {
		return err
	}
	if to := CheckUsable(ctx, c.To); !errors.Is(to, ErrUnfinished) {
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

// compareRegistries returns an error unless both stores have the same registry.
func (c Copy) compareRegistries(ctx context.Context) (schemas.AuditOut, error) {
	from, err := audit.VerifyRegistry(ctx, store.New(c.From))
	if err != nil {
		return from, fmt.Errorf("verify the registry: %w", err)
	}
	to, err := audit.VerifyRegistry(ctx, store.New(c.To))
	if err == nil && (to.Root != from.Root || to.Events != from.Events || to.Handoffs != from.Handoffs || to.OK != from.OK) {
		err = fmt.Errorf("its root is %s, and was %s: %w", to.Root, from.Root, store.ErrCorrupt)
	}
	if err != nil {
		return to, fmt.Errorf("verify the copy: %w", err)
	}
	return to, nil
}

// Limits of one batch of rows.
const (
	batchRows  = 1_000
	batchBytes = 1 << 20 // its last row may exceed it
)

// readNextBatch returns the next rows after a key. It leaves out local rows, see isLocalKey.
func readNextBatch(ctx context.Context, b store.Backend, s store.Space, key []byte) (rows []store.Row, err error) {
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
			if isLocalKey(s, row.Key) {
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

// writeInBatches reads the rows of a space from one store in batches, and calls write with each row in an Update of the
// other store. It leaves out local rows, see isLocalKey.
func writeInBatches(ctx context.Context, from, to store.Backend, s store.Space, write func(store.Writer, store.Row) error) error {
	var key []byte
	for {
		rows, err := readNextBatch(ctx, from, s, key)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := store.UpdateEach(ctx, to, rows, write); err != nil {
			return err
		}
		key = rows[len(rows)-1].Key
	}
}
