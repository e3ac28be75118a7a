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

// ExamineStore runs all checks of a store: the layout of its rows on the disk, [CheckRows] and [VerifyRegistry]. If
// rows cannot be read because the disk is damaged, the result lists this fault, and there is no error.
//
// It changes nothing, and other calls continue meanwhile. Only changes have to wait while an engine checks its pages.
// On package bolt this takes some seconds for each gigabyte.
func ExamineStore(ctx context.Context, s *store.Store, words SearchWordsFunc) (schemas.CheckOut, error) {
	out, _, err := examineStore(ctx, s, words)
	return out, err
}

func examineStore(ctx context.Context, s *store.Store, words SearchWordsFunc) (out schemas.CheckOut, all *foundFaults, err error) {
	all = &foundFaults{}
	structure, err := s.Inspect(ctx)
	for _, fault := range structure {
		all.addFault("the pages of the store: %s", fault)
		all.refused = store.ErrCorrupt
	}
	if err == nil {
		err = runBothChecks(ctx, s, words, &out, all)
	}
	if errors.Is(err, store.ErrCorrupt) {
		if all.refused == nil {
			all.addFault("%v", err)
		}
		all.refused, err = store.ErrCorrupt, nil
	}
	out.OK, out.Found, out.Mendable, out.Faults = all.n == 0, all.n, all.mendable, all.first
	return out, all, err
}

// runBothChecks adds the faults of [CheckRows] and of [VerifyRegistry].
func runBothChecks(ctx context.Context, s *store.Store, words SearchWordsFunc, out *schemas.CheckOut, all *foundFaults) error {
	found, err := checkRows(ctx, s, words)
	if err != nil {
		return err
	}
	all.mergeFaults(found)
	audited, found, err := verifyRegistry(ctx, s)
	if err != nil {
		return err
	}
	all.mergeFaults(found)
	out.Events, out.Handoffs, out.Root = audited.Events, audited.Handoffs, audited.Root
	return nil
}

// MendResult is the result of [MendRows].
type MendResult struct {
	Rows   int              `json:"rows"`             // that it wrote or deleted
	Backup string           `json:"backup,omitempty"` // the copy of the store from before, if the caller made one
	Before schemas.CheckOut `json:"before"`
	After  schemas.CheckOut `json:"after"`
}

// MendRows computes derived rows again from records, events and notices: index rows, counters, words and unread marks.
// It changes no record, no event and no content. The caller makes sure that no other process uses the store, and that a
// copy of the store exists.
//
// It writes in transactions of a thousand rows. If it ends early, the mended rows stay, and the next call continues.
// The error is [store.ErrCorrupt] if the pages on the disk are damaged. If a newer program wrote a record, MendRows
// changes nothing and returns the error of reading that record.
func MendRows(ctx context.Context, rows store.Backend, words SearchWordsFunc) (done MendResult, err error) {
	s := store.New(rows)
	out, all, err := examineStore(ctx, s, words)
	done.Before, done.After = out, out
	for left := all.n + 1; err == nil && len(all.fixes) > 0 && all.n < left; {
		if all.refused != nil {
			return done, all.refused
		}
		left = all.n
		for batch := range slices.Chunk(all.fixes, 1000) {
			if err := store.UpdateEach(ctx, rows, batch, func(w store.Writer, mend rowFix) error { return mend(w) }); err != nil {
				return done, err
			}
			done.Rows += len(batch)
		}
		done.After, all, err = examineStore(ctx, s, words)
	}
	if err == nil {
		err = all.refused
	}
	return done, err
}

// ErrFaulty means that a store can be read, but that its rows do not agree with its registry. The text contains the
// first three faults.
var ErrFaulty = errors.New("the registry and the rows do not agree")

// StoreSummary is the summary of a store that [VerifyStore] returns.
type StoreSummary struct {
	Audit schemas.CheckOut
	Until time.Time // of the newest event; zero where there is none
}

// VerifyStore reads all rows of a store and runs the checks of [ExamineStore]. No other process may write
// meanwhile. The error is [ErrFaulty] if a check found a fault, and [store.ErrCorrupt] if rows cannot be read.
func VerifyStore(ctx context.Context, s *store.Store) (c StoreSummary, err error) {
	for space := range store.Spaces {
		if err := s.EachRow(ctx, space, func(*store.View, store.Row) error { return nil }); err != nil {
			return c, fmt.Errorf("read the rows of %s: %w", space, err)
		}
	}
	all := &foundFaults{}
	if err := runBothChecks(ctx, s, nil, &c.Audit, all); err != nil {
		return c, fmt.Errorf("check the rows: %w", err)
	}
	if problems := all.problems(); len(problems) > 0 {
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
