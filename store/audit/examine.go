package audit

import (
	"context"
	"errors"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// Examine looks at all that can be wrong with a store: how its rows lie on the disk, what [Check] compares, and
// what [Registry] does. What cannot be read because the disk is damaged is a fault, and no error.
//
// It changes nothing, and others work meanwhile. Only while an engine looks at its pages changes wait, on package bolt
// some seconds for each gigabyte.
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
		err = compare(ctx, s, words, &out, &all)
	}
	if errors.Is(err, store.ErrCorrupt) {
		if all.refused == nil {
			all.addf("%v", err)
		}
		all.refused, err = store.ErrCorrupt, nil
	}
	out.OK, out.Found, out.Mendable, out.Faults = all.n == 0, all.n, all.mendable, all.told
	return out, all, err
}

// compare adds what is wrong with rows beside rows, and with the registry.
func compare(ctx context.Context, s *store.Store, words Wording, out *schemas.CheckOut, all **faults) error {
	found, err := check(ctx, s, words)
	if err != nil {
		return err
	}
	*all = (*all).with(found)
	audited, found, err := registry(ctx, s)
	if err != nil {
		return err
	}
	*all = (*all).with(found)
	out.Events, out.Handoffs, out.Root = audited.Events, audited.Handoffs, audited.Root
	return nil
}

// Mended is what [Mend] did.
type Mended struct {
	Rows   int              `json:"rows"` // that it wrote or deleted
	Before schemas.CheckOut `json:"before"`
	After  schemas.CheckOut `json:"after"`
}

// Mend computes again what follows from records, events and notices: index rows, counters, words and the marks of what
// is unread. It touches no record, no event and nothing that was said. The caller has the store for itself, and a copy
// of it. Nothing is changed in a store that is sound.
//
// It writes in transactions of a thousand rows. When it ends early, what was mended stays, and the next call goes on.
// The error is [store.ErrCorrupt] where the pages on the disk are damaged, and that of the record where a newer program wrote
// one: then nothing was changed.
func Mend(ctx context.Context, rows store.Backend, words Wording) (done Mended, err error) {
	s := store.New(rows)
	out, all, err := examine(ctx, s, words)
	done.Before, done.After = out, out
	for left := all.n + 1; err == nil && len(all.fixes) > 0 && all.n < left; {
		if all.refused != nil {
			return done, all.refused
		}
		left = all.n
		for batch := range slices.Chunk(all.fixes, 1000) {
			if err := rows.Update(ctx, func(w store.Writer) error { return mend(w, batch) }); err != nil {
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

func mend(w store.Writer, fixes []placed) (err error) {
	for _, fix := range fixes {
		if fix.Value == nil {
			err = w.Delete(fix.Space, fix.Key)
		} else {
			err = w.Put(fix.Space, fix.Key, fix.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
