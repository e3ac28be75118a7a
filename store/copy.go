package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"handoff/schemas"
)

// ErrUnfinished means that a copy into the store did not come to its end: rows are missing.
var ErrUnfinished = errors.New("the copy into it was not finished")

// ErrNotEmpty means that somebody has used a store. It was not touched.
var ErrNotEmpty = errors.New("it is not empty")

// used are the spaces that have rows where somebody did more than to look: others can be written again.
var used = []Space{Records, Events, Notices, Tokens}

// Moved means that the rows of a store were copied, and are changed elsewhere since then.
type Moved struct{ To string }

// Error implements error.
func (m *Moved) Error() string { return "it was copied to " + m.To }

// Keys of [Sys] that belong to a store, and not to what it keeps. The numbers of [Writer.Next] are copied, because each
// driver has them from [Overlay.Next].
const (
	formatKey = "format"
	copyKey   = "copy" // where the rows were copied to; empty until a copy into the store is finished
)

func stays(s Space, key []byte) bool {
	return s == Sys && (string(key) == formatKey || string(key) == copyKey)
}

// Usable tells whether a store has all its rows, and nobody changes them elsewhere: the error is [ErrUnfinished] or a
// [*Moved]. Whoever opens a store to use it asks first.
func Usable(ctx context.Context, b Backend) error {
	var mark []byte
	err := b.View(ctx, func(r Reader) error {
		found, err := r.Get(Sys, []byte(copyKey))
		mark = bytes.Clone(found)
		return err
	})
	switch {
	case err != nil || mark == nil:
		return err
	case len(mark) == 0:
		return ErrUnfinished
	}
	return &Moved{string(mark)}
}

// Reopen makes a store usable again that was copied. What became of the copy since then is not in it.
func Reopen(ctx context.Context, b Backend) error {
	return b.Update(ctx, func(w Writer) error { return w.Delete(Sys, []byte(copyKey)) })
}

// Used tells whether anybody did more in a store than to look, or a copy into it was not finished: [Copy] takes the
// place of the others.
func Used(ctx context.Context, b Backend) (bool, error) {
	if err := Usable(ctx, b); errors.Is(err, ErrUnfinished) {
		return false, nil
	} else if err != nil {
		return true, err
	}
	return Touched(ctx, b)
}

// A Copy moves all rows of a store into one in which nothing was ever sent, and which has no token. The caller owns both
// stores: nobody else writes meanwhile.
//
// At no time both may be used. The target is [ErrUnfinished] from before its first row until after the source was told
// that it is [Moved]. A source that another owner took over refuses to be told that, so what arrived is what it had. A
// copy that ends early is done again, from its beginning.
//
// Without a place the source stays what it is, and is only read: then nothing is noted in it.
type Copy struct {
	To, From Backend
	Place    string // of the target, for Moved; empty: the source is not moved
	Unproved bool   // the caller compares both, where the source is not moved
}

// Copied is what a copy did.
type Copied struct {
	Rows  int
	Audit schemas.AuditOut // of both stores, where they were compared
}

// Run copies all rows. The error is [ErrNotEmpty] when the target was used, unless a copy into it was not finished, and
// [ErrUnfinished] or a [*Moved] when the source is not to be copied; then nothing was changed.
func (c Copy) Run(ctx context.Context) (done Copied, err error) {
	if err := c.begin(ctx); err != nil {
		return done, err
	}
	for s := range Spaces {
		if err := empty(ctx, c.To, s); err != nil {
			return done, fmt.Errorf("make room for the rows of %s: %w", s, err)
		}
	}
	for s := range Spaces {
		n, err := c.space(ctx, s)
		if done.Rows += n; err != nil {
			return done, fmt.Errorf("copy the rows of %s: %w", s, err)
		}
	}
	if c.Place != "" || !c.Unproved {
		if done.Audit, err = c.compare(ctx); err != nil {
			return done, err
		}
	}
	if c.Place != "" {
		if err := mark(ctx, c.From, c.Place); err != nil {
			return done, err
		}
	}
	return done, Reopen(ctx, c.To)
}

// begin refuses what cannot be copied, and notes in the target that a copy begins.
func (c Copy) begin(ctx context.Context) error {
	from, to := Usable(ctx, c.From), Usable(ctx, c.To)
	again := errors.Is(to, ErrUnfinished)
	moved, _ := errors.AsType[*Moved](from)
	if from != nil && (moved == nil || moved.To != c.Place || !again) { // else only the last step was missing
		return from
	}
	if _, moved := errors.AsType[*Moved](to); to != nil && !again && !moved {
		return to
	}
	if use, err := Touched(ctx, c.To); err != nil {
		return err
	} else if !again && (use || to != nil) {
		return ErrNotEmpty
	}
	return mark(ctx, c.To, "")
}

// Touched tells whether something was ever sent in a store, or a token made.
func Touched(ctx context.Context, b Backend) (bool, error) {
	for _, s := range used {
		if rows, err := after(ctx, b, s, nil); err != nil || len(rows) > 0 {
			return true, err
		}
	}
	return false, nil
}

func mark(ctx context.Context, b Backend, place string) error {
	return b.Update(ctx, func(w Writer) error { return w.Put(Sys, []byte(copyKey), []byte(place)) })
}

// compare makes sure that the registries are the same.
func (c Copy) compare(ctx context.Context) (schemas.AuditOut, error) {
	from, err := New(c.From).Audit(ctx)
	if err != nil {
		return from, fmt.Errorf("verify the registry: %w", err)
	}
	to, err := New(c.To).Audit(ctx)
	if err == nil && (to.Root != from.Root || to.Events != from.Events || to.Handoffs != from.Handoffs || to.OK != from.OK) {
		err = fmt.Errorf("its root is %s, and was %s: %w", to.Root, from.Root, ErrCorrupt)
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

// after gives the next rows behind a key that do not stay.
func after(ctx context.Context, b Backend, s Space, key []byte) (rows []Row, err error) {
	if key != nil {
		key = join(key, []byte{0})
	}
	err = b.View(ctx, func(r Reader) error {
		rows = nil
		size := 0
		for row, err := range r.Scan(Range{Space: s, From: key}) {
			if err != nil {
				return err
			}
			if stays(s, row.Key) {
				continue
			}
			rows = append(rows, Row{bytes.Clone(row.Key), bytes.Clone(row.Value)})
			if size += len(row.Key) + len(row.Value); len(rows) == batchRows || size > batchBytes {
				break
			}
		}
		return nil
	})
	return rows, err
}

// each gives all rows of a space that do not stay to fn, a batch at a time, which writes them to a store.
func each(ctx context.Context, from, to Backend, s Space, write func(Writer, Row) error) (n int, err error) {
	var key []byte
	for tell := ProgressOf(ctx); ; {
		tell(s.String(), uint64(n), 0)
		rows, err := after(ctx, from, s, key)
		if err != nil || len(rows) == 0 {
			return n, err
		}
		err = to.Update(ctx, func(w Writer) error {
			for _, row := range rows {
				if err := write(w, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n, key = n+len(rows), rows[len(rows)-1].Key
	}
}

func (c Copy) space(ctx context.Context, s Space) (int, error) {
	return each(ctx, c.From, c.To, s, func(w Writer, row Row) error { return w.Put(s, row.Key, row.Value) })
}

func empty(ctx context.Context, b Backend, s Space) error {
	_, err := each(ctx, b, b, s, func(w Writer, row Row) error { return w.Delete(s, row.Key) })
	return err
}
