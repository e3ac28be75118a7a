// Package storetest is only for tests. Its own tests check that each [store.Backend] of this program keeps the contract
// in package store. [RunUpdatesTwice] wraps a backend for tests of other packages. [World] is a store for tests of
// package store and of package audit.
package storetest

import (
	"context"
	"errors"

	"handoff/store"
)

// RunUpdatesTwice returns a backend that runs every function of Update twice. It undoes the writes of the first run and
// keeps the writes of the second. So tests find functions that add to their results instead of assigning them.
func RunUpdatesTwice(b store.Backend) store.Backend { return twiceBackend{b} }

type twiceBackend struct{ store.Backend }

var errFirst = errors.New("the first time does not count")

func (b twiceBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	ran := false
	err := b.Backend.Update(ctx, func(w store.Writer) error {
		ran = true
		if err := fn(w); err != nil {
			return err
		}
		return errFirst
	})
	if !ran {
		return err
	}
	return b.Backend.Update(ctx, fn)
}
