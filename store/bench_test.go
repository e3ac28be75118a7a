package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// task is a body of 2 KB, as a handoff has.
var task = []byte(`{"task":"` + strings.Repeat("fix the login of the shop ", 80) + `"}`)

var result, _ = json.Marshal(schemas.Completion{Summary: strings.Repeat("it was done ", 30), Status: schemas.Success})

// cycle is what one handoff writes in its life: three commits with records, events, content and index
// rows, and the words, receipts and notice that come with them.
type cycle struct{ n int64 }

func (c cycle) commits() []func(*store.Tx) error {
	return []func(*store.Tx) error{c.send, c.claim, c.complete}
}

func (c cycle) agent() schemas.Agent { return schemas.Agent(fmt.Sprintf("agent-%02d", c.n%64)) }

func (c cycle) event(action string, r *store.Record) schemas.Event {
	return schemas.Event{
		At: noon.Add(time.Duration(c.n) * time.Millisecond), Handoff: r.ID, Agent: c.agent(), AgentID: "session-0123456789",
		Via: schemas.ViaStdio, Action: action, From: schemas.Pending, To: r.Status, Attempt: r.Attempt,
	}
}

func (c cycle) send(tx *store.Tx) error {
	id, err := tx.NewID()
	if err != nil {
		return err
	}
	r := sent(id)
	r.To, r.Box = schemas.Address(c.agent()), schemas.Address(c.agent())
	r.Workflow = schemas.Workflow("wf_" + id.String())
	r.Tags = []string{"go", "login"}
	r.Digest = "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
	r.Deadline, r.Wakes = minute(600), minute(600)
	if _, err := tx.Change(nil, r, c.event("send", r), store.Content{Bytes: task, Salt: []byte("salt_0123456789abcdef")}); err != nil {
		return err
	}
	if err := tx.PutWorkflow(r.Workflow, store.Workflow{Owner: r.From, First: id, Last: id}); err != nil {
		return err
	}
	if err := tx.PutWords(id, r.Title, string(task)); err != nil {
		return err
	}
	return c.remember(tx, "1", `{"handoff_id":"ho_12","status":"pending","to":"auto-code","workflow_id":"wf_12"}`)
}

func (c cycle) claim(tx *store.Tx) error {
	for id, err := range tx.Queue(schemas.Address(c.agent()), "capability:go", "role:coder") {
		if err != nil {
			return err
		}
		was, err := tx.Record(id)
		if err != nil {
			return err
		}
		now := was.Clone()
		now.Status, now.Holder, now.HolderID, now.Box, now.Via = schemas.Accepted, c.agent(), "session-0123456789", "", schemas.ViaStdio
		now.Token, now.Claims, now.Attempt, now.Conn = "ct_0123456789abcdef", 1, 1, "conn_0123456789"
		now.Claimed, now.Touched, now.Lease, now.Wakes = minute(1), minute(1), minute(16), minute(16)
		if _, err := tx.Change(was, &now, c.event("claim", &now), store.Content{}); err != nil {
			return err
		}
		break
	}
	return c.remember(tx, "2", `{"handoff_id":"ho_12","claim_token":"ct_0123456789abcdef"}`)
}

func (c cycle) complete(tx *store.Tx) error {
	for id, err := range tx.Oldest(store.HeldBy(c.agent()), 0) {
		if err != nil {
			return err
		}
		was, err := tx.Record(id)
		if err != nil {
			return err
		}
		now := was.Clone()
		now.Status, now.Outcome, now.Lease, now.Wakes, now.Ended = schemas.Completed, schemas.Success, 0, 0, minute(2)
		now.ResultDigest = now.Digest
		if _, err := tx.Change(was, &now, c.event("complete", &now), store.Content{Bytes: result, Salt: []byte("salt_0123456789abcdef")}); err != nil {
			return err
		}
		n := schemas.Notice{To: now.From, From: c.agent(), Kind: "completed", About: id, Title: now.Title, Text: "it was done", At: noon}
		if _, err := tx.Notify(n); err != nil {
			return err
		}
		break
	}
	return c.remember(tx, "3", `{"handoff_id":"ho_12","status":"completed","outcome":"success"}`)
}

// remember keeps the outcome of a call.
func (c cycle) remember(tx *store.Tx, step, outcome string) error {
	if err := tx.ExpireReceipts(noon.Add(-24*time.Hour), 4); err != nil {
		return err
	}
	key := store.ByRequest(fmt.Sprintf("%016x%s0123456789abcde", c.n, step))
	return tx.PutReceipt(key, store.Receipt{Result: json.RawMessage(outcome), At: store.At(noon)})
}

// BenchmarkChange plays whole lives through the typed layer, by so many callers at once. The metric
// "of-raw" is what it reaches of the speed at which the same rows are written into bbolt itself, there
// with one transaction for as many commits as there are callers.
func BenchmarkChange(b *testing.B) {
	b.Run("memory", func(b *testing.B) {
		b.ReportAllocs()
		play(b, store.New(memory.New()), 1)
	})
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("bolt/callers=%d", callers), func(b *testing.B) {
			b.ReportAllocs()
			s := store.New(openBolt(b, filepath.Join(b.TempDir(), "handoff.db")))
			ours := play(b, s, callers)
			require.NoError(b, s.Close())
			b.StopTimer()
			b.ReportMetric(float64(byHand(b, callers))/float64(ours), "of-raw")
		})
	}
}

// play plays b.N lives and tells how long it took.
func play(b *testing.B, s *store.Store, callers int) time.Duration {
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	start := time.Now()
	for range callers {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				for _, fn := range (cycle{n}).commits() {
					if err := s.Update(context.Background(), fn); err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// byHand writes the rows of b.N lives into bbolt, so many commits in a transaction, and tells how long
// that took, without the time to make them up.
func byHand(b *testing.B, group int) (took time.Duration) {
	path := filepath.Join(b.TempDir(), "raw.db")
	require.NoError(b, openBolt(b, path).Close()) // makes the buckets
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30, NoStatistics: true,
	})
	require.NoError(b, err)
	r := &recorder{Backend: memory.New()}
	s := store.New(r)
	for n := 0; n < b.N; n += group {
		r.writes = r.writes[:0]
		for c := range min(group, b.N-n) {
			for _, fn := range (cycle{int64(n + c)}).commits() {
				require.NoError(b, s.Update(b.Context(), fn))
			}
		}
		for part := range 3 { // as many transactions as the callers need
			writes := r.writes[part*len(r.writes)/3 : (part+1)*len(r.writes)/3]
			start := time.Now()
			require.NoError(b, db.Update(func(tx *bbolt.Tx) error { return apply(tx, writes) }))
			took += time.Since(start)
		}
	}
	require.NoError(b, db.Close())
	return took
}

func apply(tx *bbolt.Tx, writes []written) error {
	for _, w := range writes {
		bucket := tx.Bucket([]byte(w.space.String()))
		if w.deleted {
			if err := bucket.Delete(w.key); err != nil {
				return err
			}
			continue
		}
		if err := bucket.Put(w.key, w.value); err != nil {
			return err
		}
	}
	return nil
}

// recorder writes down what is written to a backend.
type recorder struct {
	store.Backend
	writes []written
}

type written struct {
	space      store.Space
	key, value []byte
	deleted    bool
}

func (r *recorder) Update(ctx context.Context, fn func(store.Writer) error) error {
	return r.Backend.Update(ctx, func(w store.Writer) error { return fn(recording{w, r}) })
}

type recording struct {
	store.Writer
	to *recorder
}

func (w recording) Put(s store.Space, key, value []byte) error {
	w.to.writes = append(w.to.writes, written{space: s, key: append([]byte{}, key...), value: append([]byte{}, value...)})
	return w.Writer.Put(s, key, value)
}

func (w recording) Delete(s store.Space, key []byte) error {
	w.to.writes = append(w.to.writes, written{space: s, key: append([]byte{}, key...), deleted: true})
	return w.Writer.Delete(s, key)
}

// Next writes as well; its row is among those that a hand would write.
func (w recording) Next(s store.Space) (uint64, error) {
	n, err := w.Writer.Next(s)
	key := []byte("next/" + s.String())
	w.to.writes = append(w.to.writes, written{space: store.Sys, key: key, value: fmt.Appendf(nil, "%08d", n)})
	return n, err
}
