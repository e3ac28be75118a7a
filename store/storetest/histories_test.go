package storetest_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/memory"
)

// testHistories runs the same random operations on b and on store/memory, and compares the results of every read inside
// them and of every scan between them.
func testHistories(t *testing.T, b store.Backend) {
	const seed = 7
	reference := memory.New()
	for step := range uint64(150) {
		want, wantErr := runRandomUpdate(t, reference, rand.New(rand.NewPCG(seed, step)))
		got, gotErr := runRandomUpdate(t, b, rand.New(rand.NewPCG(seed, step)))
		require.Equal(t, wantErr, gotErr, "step %d", step)
		require.Equal(t, want, got, "step %d", step)
	}
	for s := store.Sys + 1; s < store.Spaces; s++ { // in sys drivers differ
		require.Equal(t, all(t, reference, s), all(t, b, s), s.String())
	}
}

// runRandomUpdate runs one random Update, and returns the rows that it saw, line by line, and its error.
func runRandomUpdate(t *testing.T, b store.Backend, random *rand.Rand) (seen []string, err error) {
	moves := make([]randomStep, 1+random.IntN(40))
	for i := range moves {
		moves[i] = newRandomStep(random)
	}
	fails := random.IntN(5) == 0
	err = b.Update(t.Context(), func(w store.Writer) error {
		seen = nil
		for _, m := range moves {
			line, err := m.make(w)
			if err != nil {
				return err
			}
			seen = append(seen, line)
		}
		if fails {
			return errUndo
		}
		return nil
	})
	return seen, err
}

// randomStep is one read or write inside an Update, chosen at random.
type randomStep struct {
	kind  int
	query store.Range
	value []byte
}

func newRandomStep(random *rand.Rand) randomStep {
	key := func() []byte { return fmt.Appendf(nil, "%02x", random.IntN(200)) }
	m := randomStep{kind: random.IntN(10), value: make([]byte, random.IntN(300))}
	m.query = store.Range{
		Space: store.Space(random.IntN(3)) + store.Ready,
		From:  key(), To: key(), Reverse: random.IntN(2) == 0,
	}
	return m
}

func (m randomStep) make(w store.Writer) (string, error) {
	q := m.query
	switch m.kind {
	case 0, 1, 2, 3:
		return "put", w.Put(q.Space, q.From, m.value)
	case 4, 5:
		return "delete", w.Delete(q.Space, q.From)
	case 6:
		n, err := w.Next(q.Space)
		return fmt.Sprint("next ", n), err
	case 7:
		v, err := w.Get(q.Space, q.From)
		return fmt.Sprintf("get %q", v), err
	case 8:
		rows, err := collect(w, q)
		return fmt.Sprintf("scan %q", rows), err
	default:
		return "clear", clearRange(w, q, 3)
	}
}

// clearRange deletes the first rows of q, at most `most`, while ranging over them.
func clearRange(w store.Writer, q store.Range, most int) error {
	for row, err := range w.Scan(q) {
		err = cmp.Or(err, w.Delete(q.Space, row.Key))
		if most--; most == 0 || err != nil {
			return err
		}
	}
	return nil
}
