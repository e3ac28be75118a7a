package store_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/storetest"
)

var errBroken = errors.New("the disk is broken")

// failing is a backend in which one operation on rows fails. The operations are counted from 1, and the test chooses
// the number.
type failing struct {
	store.Backend
	at, done int
}

func (f *failing) fails() error {
	if f.done++; f.done == f.at {
		return errBroken
	}
	return nil
}

func (f *failing) View(ctx context.Context, fn func(store.Reader) error) error {
	return f.Backend.View(ctx, func(r store.Reader) error { return fn(failingRows{Reader: r, of: f}) })
}

func (f *failing) Update(ctx context.Context, fn func(store.Writer) error) error {
	return f.Backend.Update(ctx, func(w store.Writer) error { return fn(failingRows{w, w, f}) })
}

type failingRows struct {
	store.Reader
	w  store.Writer // nil in a View
	of *failing
}

func (r failingRows) Get(s store.Space, key []byte) ([]byte, error) {
	if err := r.of.fails(); err != nil {
		return nil, err
	}
	return r.Reader.Get(s, key)
}

func (r failingRows) Scan(q store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		if err := r.of.fails(); err != nil {
			yield(store.Row{}, err)
			return
		}
		for row, err := range r.Reader.Scan(q) {
			if !yield(row, err) {
				return
			}
		}
		if err := r.of.fails(); err != nil { // a scan may also break off
			yield(store.Row{}, err)
		}
	}
}

func (r failingRows) Put(s store.Space, key, value []byte) error {
	return errors.Join(r.of.fails(), r.w.Put(s, key, value))
}

func (r failingRows) Delete(s store.Space, key []byte) error {
	return errors.Join(r.of.fails(), r.w.Delete(s, key))
}

func (r failingRows) Next(s store.Space) (uint64, error) {
	n, err := r.w.Next(s)
	return n, errors.Join(r.of.fails(), err)
}

func (r failingRows) Size() int { return r.w.Size() }

// If any operation on rows fails, its caller gets the error, and nothing is kept.
func TestTx_ReturnsEveryRowErrorAndUndoesAllWrites(t *testing.T) {
	w := newMemoryWorld(t)
	w.Complete(w.Claim(w.Send(1)))
	w.Send(2)
	w.Notify("architect", 2)
	f := &failing{Backend: w.Rows}
	broken := store.New(f)
	ctx := context.Background()
	update := func(fn func(tx *store.Tx) error) func() error {
		return func() error { return broken.Update(ctx, fn) }
	}
	view := func(fn func(v *store.View) error) func() error {
		return func() error { return broken.View(ctx, fn) }
	}
	for name, call := range map[string]func() error{
		"send":     update((lifeCycle{1}).send),
		"claim":    update((lifeCycle{1}).claim),
		"complete": update((lifeCycle{1}).complete),
		"amend": update(func(tx *store.Tx) error {
			was, err := tx.Record(3)
			if err != nil {
				return err
			}
			now := was.Clone()
			now.Box, now.Priority = "another", schemas.Critical
			return storetest.WriteRecord(tx, was, &now, "amend", "it")
		}),
		"notify": update(func(tx *store.Tx) error { _, err := tx.AddNotice(schemas.Notice{To: "a"}); return err }),
		"read":   update(func(tx *store.Tx) error { return tx.MarkNoticesRead("architect", 1, 2) }),
		"agent":  update(func(tx *store.Tx) error { return tx.PutAgent(store.Agent{Card: schemas.Card{Name: "a"}}) }),
		"check":  func() error { _, err := audit.ExamineStore(ctx, broken, nil); return err },
		"audit":  func() error { _, err := audit.VerifyRegistry(ctx, broken); return err },
		"verify": view(func(v *store.View) error { _, err := audit.IsHandoffIntact(v, 1); return err }),
		"events": view(func(v *store.View) error { _, err := v.EventsOf(&store.Record{Event: 3}, 9); return err }),
		"saying": view(func(v *store.View) error { return v.DecodeContent(1, 1, &schemas.Handoff{}) }),
		"words":  view(func(v *store.View) error { _, err := v.HasWords(1, []string{"a"}); return err }),
		"origin": view(func(v *store.View) error { return drain(v.HandoffsWithOrigin("HO-1")) }),
		"queue":  view(func(v *store.View) error { return drain(v.ClaimableHandoffs("auto-code", "b")) }),
		"boxes":  view(func(v *store.View) error { return drain(v.MailboxesWithWork("")) }),
		"due":    view(func(v *store.View) error { return drain(v.DueHandoffs(storetest.Noon())) }),
		"next":   view(func(v *store.View) error { _, err := v.NextDueTime(); return err }),
		"oldest": view(func(v *store.View) error { return drain(v.OldestFirst(store.IndexOfAllHandoffs(), 0)) }),
		"sent":   view(func(v *store.View) error { return drain(v.SentHandoffs("architect")) }),
		"agents": view(func(v *store.View) error { return drain(v.Agents()) }),
		"since":  view(func(v *store.View) error { return drain(v.EventsAfter(0)) }),
		"mail":   view(func(v *store.View) error { return drain(v.Notices("architect", 0)) }),
		"others": view(func(v *store.View) error {
			_, err1 := v.Agent("a")
			_, err2 := v.Workflow("wf_a")
			_, err3 := v.Receipt(store.KeyReceiptKey("a", "b"))
			_, err4 := v.Counters("a")
			return errors.Join(err1, err2, err3, err4)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			before := w.CopyRows(storetest.AllSpaces()...)
			f.at, f.done = 1, 0
			for err := call(); f.done >= f.at; err = call() {
				require.ErrorIs(t, err, errBroken, "operation %d", f.at)
				require.Equal(t, before, w.CopyRows(storetest.AllSpaces()...))
				f.at, f.done = f.at+1, 0
			}
			require.Greater(t, f.at, 1, "something was tried")
		})
	}
}

func drain[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}
