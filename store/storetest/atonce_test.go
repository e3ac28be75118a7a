package storetest_test

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

const writers = 16

// incrementCounter reads a counter, adds one and writes it back.
func incrementCounter(w store.Writer, key string) error {
	v, err := w.Get(store.Workflows, []byte(key))
	if err != nil {
		return err
	}
	return w.Put(store.Workflows, []byte(key), strconv.AppendUint(nil, parseCounter(v)+1, 10))
}

func parseCounter(v []byte) uint64 {
	n, _ := strconv.ParseUint(string(v), 10, 64) // no row is zero
	return n
}

// runConcurrently calls fn from every writer and reports every error.
func runConcurrently(t *testing.T, fn func(writer int) error) {
	t.Helper()
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

// testConcurrentWriters runs many writers. Each Update of a writer increments a shared counter and the writer's own
// counter, and takes a number.
func testConcurrentWriters(t *testing.T, b store.Backend) {
	const each = 50
	numbers := make([][]uint64, writers)
	runConcurrently(t, func(i int) error {
		for range each {
			var n uint64
			err := b.Update(t.Context(), func(w store.Writer) (err error) {
				n, err = w.Next(store.Events)
				return errors.Join(err, incrementCounter(w, "shared"), incrementCounter(w, fmt.Sprint(i)))
			})
			if err != nil {
				return err
			}
			numbers[i] = append(numbers[i], n)
		}
		return nil
	})
	seen := map[uint64]bool{}
	for i, own := range numbers {
		require.IsIncreasing(t, own)
		for _, n := range own {
			require.False(t, seen[n], "number %d was given twice", n)
			seen[n] = true
		}
		value, _ := get(t, b, store.Workflows, fmt.Sprint(i))
		require.EqualValues(t, each, parseCounter([]byte(value)))
	}
	value, _ := get(t, b, store.Workflows, "shared")
	require.EqualValues(t, writers*each, parseCounter([]byte(value)))
}

// testFailuresAmongConcurrentCalls makes concurrent calls. Every second call writes and then fails by an error or by a
// panic. The other calls may share a commit with a failing call and must succeed.
func testFailuresAmongConcurrentCalls(t *testing.T, b store.Backend) {
	const each = 40
	runConcurrently(t, func(i int) error {
		for n := range each {
			err := b.Update(t.Context(), func(w store.Writer) error {
				if err := incrementCounter(w, "shared"); err != nil {
					return err
				}
				switch n % 4 {
				case 1:
					return errUndo
				case 3:
					panic(i)
				}
				return nil
			})
			if fails := n%2 == 1; fails != (err != nil) {
				return fmt.Errorf("call %d of writer %d: %w", n, i, err)
			}
			if n%4 == 1 && !errors.Is(err, errUndo) {
				return fmt.Errorf("call %d of writer %d got the error of another: %w", n, i, err)
			}
		}
		return nil
	})
	value, _ := get(t, b, store.Workflows, "shared")
	require.EqualValues(t, writers*each/2, parseCounter([]byte(value)))
}

// testConcurrentReaders writes two rows that are always equal, while other goroutines read them: no View and no Update
// may ever see them differ.
func testConcurrentReaders(t *testing.T, b store.Backend) {
	same := func(r store.Reader) error {
		left, err := r.Get(store.Workflows, []byte("left"))
		right, failed := r.Get(store.Workflows, []byte("right"))
		if parseCounter(left) != parseCounter(right) {
			return fmt.Errorf("half of an update was seen: %d and %d", parseCounter(left), parseCounter(right))
		}
		return cmp.Or(err, failed)
	}
	runConcurrently(t, func(i int) error {
		for range 50 {
			err := b.View(t.Context(), same)
			if i%4 == 0 {
				err = b.Update(t.Context(), func(w store.Writer) error {
					return errors.Join(same(w), incrementCounter(w, "left"), incrementCounter(w, "right"))
				})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
