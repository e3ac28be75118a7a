package store

import (
	"context"
	"errors"
	"slices"

	"handoff/schemas"
)

// Examine looks at all that can be wrong with a store: how its rows lie on the disk, what [Store.Check] compares, and
// what [Store.Audit] does. What cannot be read because the disk is damaged is a fault, and no error.
//
// It changes nothing, and others work meanwhile. Only while an engine looks at its pages changes wait, on package bolt
// some seconds for each gigabyte.
func (s *Store) Examine(ctx context.Context, words Wording) (schemas.CheckOut, error) {
	out, _, err := s.examine(ctx, words)
	return out, err
}

func (s *Store) examine(ctx context.Context, words Wording) (out schemas.CheckOut, all *faults, err error) {
	all = &faults{}
	structure, err := inspect(ctx, s.backend)
	for _, fault := range structure {
		all.addf("the pages of the store: %s", fault)
		all.refused = ErrCorrupt
	}
	if err == nil {
		err = s.compare(ctx, words, &out, &all)
	}
	if errors.Is(err, ErrCorrupt) {
		if all.refused == nil {
			all.addf("%v", err)
		}
		all.refused, err = ErrCorrupt, nil
	}
	out.OK, out.Found, out.Mendable, out.Faults = all.n == 0, all.n, all.mendable, all.told
	return out, all, err
}

// compare adds what is wrong with rows beside rows, and with the registry.
func (s *Store) compare(ctx context.Context, words Wording, out *schemas.CheckOut, all **faults) error {
	found, err := s.check(ctx, words)
	if err != nil {
		return err
	}
	*all = (*all).with(found)
	audited, found, err := s.audit(ctx)
	if err != nil {
		return err
	}
	*all = (*all).with(found)
	out.Events, out.Handoffs, out.Root = audited.Events, audited.Handoffs, audited.Root
	return nil
}

// Mended is what [Store.Mend] did.
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
// The error is [ErrCorrupt] where the pages on the disk are damaged, and that of the record where a newer program wrote
// one: then nothing was changed.
func (s *Store) Mend(ctx context.Context, words Wording) (done Mended, err error) {
	out, all, err := s.examine(ctx, words)
	done.Before, done.After = out, out
	for left := all.n + 1; err == nil && len(all.fixes) > 0 && all.n < left; {
		if all.refused != nil {
			return done, all.refused
		}
		left = all.n
		for batch := range slices.Chunk(all.fixes, batchRows) {
			if err := s.backend.Update(ctx, func(w Writer) error { return write(w, batch) }); err != nil {
				return done, err
			}
			done.Rows += len(batch)
		}
		done.After, all, err = s.examine(ctx, words)
	}
	if err == nil {
		err = all.refused
	}
	return done, err
}

func write(w Writer, rows []placed) error {
	for _, row := range rows {
		if err := writeRow(w, row.Space, row.Row); err != nil {
			return err
		}
	}
	return nil
}
