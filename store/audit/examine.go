package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// Examine runs all checks of a store: the layout of its rows on the disk, [Check] and [Registry]. If rows cannot be
// read because the disk is damaged, the result lists this as a fault and there is no error.
//
// It changes nothing, and other calls go on meanwhile. Changes have to wait only while an engine checks its pages, on
// package bolt some seconds for each gigabyte.
func Examine(ctx context.Context, s *store.Store, words Wording) (schemas.CheckOut, error) {
	out, _, err := examine(ctx, s, words)
	return out, err
}

func examine(ctx context.Context, s *store.Store, words Wording) (out schemas.CheckOut, all *faults, err error) {
	all = &faults{}
	structure, err := s.Inspect(ctx)
	for _, fault := range structure {
		all.addf("the pages of the store: %s", fault)
		all.refused = store.ErrCorrupt
	}
	if err == nil {
		err = compare(ctx, s, words, &out, all)
	}
	if errors.Is(err, store.ErrCorrupt) {
		if all.refused == nil {
			all.addf("%v", err)
		}
		all.refused, err = store.ErrCorrupt, nil
	}
	out.OK, out.Found, out.Mendable, out.Faults = all.n == 0, all.n, all.mendable, all.first
	return out, all, err
}

// compare adds the faults of [Check] and of [Registry].
func compare(ctx context.Context, s *store.Store, words Wording, out *schemas.CheckOut, all *faults) error {
	found, err := check(ctx, s, words)
	if err != nil {
		return err
	}
	all.include(found)
	audited, found, err := registry(ctx, s)
	if err != nil {
		return err
	}
	all.include(found)
	out.Events, out.Handoffs, out.Root = audited.Events, audited.Handoffs, audited.Root
	return nil
}

// MendResult is the result of [Mend].
type MendResult struct {
	Rows   int              `json:"rows"` // that it wrote or deleted
	Before schemas.CheckOut `json:"before"`
	After  schemas.CheckOut `json:"after"`
}

// Mend computes derived rows again from records, events and notices: index rows, counters, words and unread marks. It
// changes no record, no event and no content. The caller makes sure that no other process uses the store, and that
// there is a copy of it. In a store without faults Mend changes nothing.
//
// It writes in transactions of a thousand rows. If it ends early, the mended rows stay, and the next call goes on. The
// error is [store.ErrCorrupt] if the pages on the disk are damaged. If a newer program wrote a record, the error is the
// error of reading that record, and nothing was changed.
func Mend(ctx context.Context, rows store.Backend, words Wording) (done MendResult, err error) {
	s := store.New(rows)
	out, all, err := examine(ctx, s, words)
	done.Before, done.After = out, out
	for left := all.n + 1; err == nil && len(all.fixes) > 0 && all.n < left; {
		if all.refused != nil {
			return done, all.refused
		}
		left = all.n
		for batch := range slices.Chunk(all.fixes, 1000) {
			if err := store.UpdateEach(ctx, rows, batch, func(w store.Writer, mend fix) error { return mend(w) }); err != nil {
				return done, err
			}
			done.Rows += len(batch)
		}
		done.After, all, err = examine(ctx, s, words)
	}
	if err == nil {
		err = all.refused
	}
	return done, err
}

// ErrFaulty means that a store can be read, but differs from its registry. The text has the first faults.
var ErrFaulty = errors.New("the registry and the rows do not agree")

// Contents is the summary of a store that [Verify] returns.
type Contents struct {
	Audit schemas.AuditOut
	Until time.Time // of the newest event; zero where there is none
}

// Verify reads all rows of a store without writers, with [Registry] and [Check]. The error is [ErrFaulty] if one of
// them found a fault, and [store.ErrCorrupt] if rows cannot be read.
func Verify(ctx context.Context, s *store.Store) (c Contents, err error) {
	for space := range store.Spaces {
		if err := s.EachRow(ctx, space, func(*store.View, store.Row) error { return nil }); err != nil {
			return c, fmt.Errorf("read the rows of %s: %w", space, err)
		}
	}
	if c.Audit, err = Registry(ctx, s); err != nil {
		return c, fmt.Errorf("verify the registry: %w", err)
	}
	problems, err := Check(ctx, s)
	if err != nil {
		return c, fmt.Errorf("check the rows: %w", err)
	}
	if problems = append(problems, c.Audit.Problems...); len(problems) > 0 {
		return c, fmt.Errorf("%w: %s", ErrFaulty, strings.Join(problems[:min(3, len(problems))], "; "))
	}
	err = s.View(ctx, func(v *store.View) error {
		newest, err := v.Event(c.Audit.Events)
		if err == nil && newest != nil {
			c.Until = newest.At
		}
		return err
	})
	return c, err
}
