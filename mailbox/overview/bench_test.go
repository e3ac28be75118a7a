package overview_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// newCrowdedService fills a store with handoffs, of which the last are open. Half of the open handoffs are claimable, a
// fifth is held, and a fifth depends on a failed or open handoff. The others have a question or wait for approval.
func newCrowdedService(t testing.TB, b store.Backend, stored, open int) *mailbox.Service {
	t.Helper()
	kept := store.New(b)
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	s := mailbox.New(mailbox.Config{Store: kept, Now: mailboxtest.StartTime, NewID: func(p string) string { return p }})
	at := store.TimeOf(mailboxtest.StartTime().Add(-time.Hour))
	for done := 0; done < stored; {
		require.NoError(t, kept.Update(context.Background(), func(tx *store.Tx) error {
			for done = done - done%1000; ; {
				id, err := tx.NewID()
				if err != nil {
					return err
				}
				r := newRecord(id, at, int(id) > stored-open)
				n, err := tx.EventCount()
				if err != nil {
					return err
				}
				r.Body, r.Note, r.Ask = n+1, n+1, n+1
				said := store.Content{Bytes: []byte(`{"task": "x", "note": "half", "questions": ["which?"]}`), Salt: []byte("salt")}
				if _, err := tx.WriteChange(nil, r, schemas.Event{Action: "sent", To: r.Status}, said); err != nil {
					return err
				}
				if done++; done%1000 == 0 || done == stored {
					return nil
				}
			}
		}))
	}
	return s
}

// newRecord returns one of the handoffs that fill the store.
func newRecord(id schemas.ID, at store.Time, open bool) *store.Record {
	n := int(id)
	agent := schemas.Agent(fmt.Sprintf("agent-%d", n%40))
	r := &store.Record{
		ID: id, Workflow: schemas.Workflow(fmt.Sprintf("wf_%d", n/10)), From: "boss", To: schemas.Address(agent),
		Type: schemas.TypeHandoff, Title: "Fix it", Priority: schemas.Normal, Created: at, MaxAttempts: 3,
	}
	if !open {
		if r.Status, r.Outcome, r.Holder, r.Ended = schemas.Completed, schemas.Success, agent, at; n%20 == 0 {
			r.Status, r.Outcome = schemas.Failed, schemas.OutcomeFailed
		}
		return r
	}
	r.Status = schemas.Pending
	switch kind := n % 10; {
	case kind < 5:
		r.Box = r.To
	case kind < 7:
		r.Status, r.Holder, r.Claimed, r.Touched, r.Claims, r.Attempt = schemas.Working, agent, at, at, 1, 1
	case kind < 9:
		r.Box, r.After = r.To, []schemas.ID{id - 1}
	case n%20 == 9:
		r.Status, r.Holder, r.Asker, r.Claimed, r.Touched = schemas.Waiting, agent, agent, at, at
	default:
		r.Box, r.NeedsApproval = r.To, true
	}
	return r
}

// countingBackend counts the rows that are read.
type countingBackend struct {
	store.Backend
	rows *int
}

func (b countingBackend) View(ctx context.Context, fn func(store.Reader) error) error {
	return b.Backend.View(ctx, func(r store.Reader) error { return fn(countingReader{r, b.rows}) })
}

type countingReader struct {
	store.Reader
	n *int
}

func (r countingReader) Get(s store.Space, key []byte) ([]byte, error) {
	*r.n++
	return r.Reader.Get(s, key)
}

func (r countingReader) Scan(in store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for row, err := range r.Reader.Scan(in) {
			if *r.n++; !yield(row, err) {
				return
			}
		}
	}
}

// Each step has more rows than its limit.
func TestOverview_ReadsBoundedNumberOfRows(t *testing.T) {
	n := 0
	s := newCrowdedService(t, countingBackend{memory.New(), &n}, 26_000, 21_000)
	n = 0
	out := mailboxtest.Must(t, s.Overview, schemas.Caller{}, schemas.OverviewIn{})
	require.Less(t, n, 6_000)
	require.NotEmpty(t, out.NeedsYou.Items)
	require.True(t, out.Stuck.AtLeast)
	require.Equal(t, 10_500, out.Counts.Claimable)
	require.Equal(t, 26_000, out.Counts.Sent)
}

// BenchmarkOverview computes the overview of 100,000 handoffs with 10,000 open, and lists 50 of them in the same run.
// "of-list" is the time of the overview as a share of the list's.
func BenchmarkOverview(b *testing.B) {
	s := newCrowdedService(b, mailboxtest.NewFileBackend(b), 100_000, 10_000)
	var lists time.Duration
	b.ResetTimer()
	for range b.N {
		mailboxtest.Must(b, s.Overview, schemas.Caller{}, schemas.OverviewIn{})
		b.StopTimer()
		began := time.Now()
		mailboxtest.Must(b, s.List, schemas.Caller{}, schemas.ListIn{Box: "all", Limit: 50})
		lists += time.Since(began)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(lists), "of-list")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
}
