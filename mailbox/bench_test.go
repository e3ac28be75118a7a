package mailbox_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkRoute sends to pools for which fifty and all of 1,000 agents qualify, with 10,000 pending. It aims at 2 ms
// for one send.
func BenchmarkRoute(b *testing.B) {
	w := newWorldOn(b, memory.New())
	ctx, a := context.Background(), schemas.Caller{Agent: "a"}
	for i := range 1000 {
		by := w.Stdio(schemas.Agent(fmt.Sprintf("agent-%d", i)))
		_, err := w.Register(ctx, by, schemas.RegisterIn{
			Name: string(by.Agent), Accepts: []string{"all", fmt.Sprint("review-", i%20)}, Skills: []string{"go", fmt.Sprint("skill-", i%10)}, MaxOpen: 3,
		})
		require.NoError(b, err)
	}
	send := func(i int, to string) {
		in := schemas.SendIn{To: to, Task: fmt.Sprint("task ", i), Tags: []string{"go"}, Parent: "none"}
		_, err := w.Send(ctx, a, in)
		require.NoError(b, err)
	}
	for i := range 9_000 {
		send(i, fmt.Sprintf("agent-%d", i%1000))
	}
	for i := range 1_000 {
		send(i, "capability:build")
	}
	for _, to := range []string{"agent-7", "capability:review-7", "capability:all"} {
		b.Run(to, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				send(i, to)
			}
		})
	}
}

// BenchmarkRecall reads a brief with and without a recall, after 1,000 completed handoffs with 30 or 1,200 words. The
// metric is the time with the recall for one without it.
func BenchmarkRecall(b *testing.B) {
	for _, words := range []int{30, 1200} {
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			w := newWorldOn(b, memory.New())
			sends := func(task, detail string, recall int) string {
				sent, err := w.Send(b.Context(), w.Stdio("a"), schemas.SendIn{To: "b", Task: task, Detail: detail, Parent: "none", Options: &schemas.SendOptions{Recall: recall}})
				require.NoError(b, err)
				return sent.HandoffID.String()
			}
			for i := range 1000 {
				var text strings.Builder
				for k := range words {
					fmt.Fprintf(&text, "%x ", 0xabc0000+(i*7+k*13)%5000*7919*31)
				}
				id := sends("Do it", text.String(), 0)
				_, err := w.Update(b.Context(), w.Stdio("a"), schemas.UpdateIn{HandoffID: id, Action: schemas.ActCancel, Note: "done"})
				require.NoError(b, err)
			}
			reads := func(id string) time.Duration {
				begun := time.Now()
				for range max(b.N, 5) {
					_, err := w.Get(b.Context(), w.Stdio("b"), schemas.GetIn{HandoffID: id, View: "brief"})
					require.NoError(b, err)
				}
				return time.Since(begun)
			}
			plain, recalls := sends("Mend login and timeout", "", 0), sends("Mend login and timeout", "", 5)
			b.ResetTimer()
			b.ReportMetric(float64(reads(recalls))/float64(reads(plain)), "recall/none")
		})
	}
}

// runCycles runs cycles by many callers, each between a sender and a receiver of its own.
func runCycles(b testing.TB, backend store.Backend, callers, cycles int) time.Duration {
	var ids atomic.Int64
	s := mailbox.New(mailbox.Config{
		Store: store.New(backend), Now: time.Now,
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%016d", prefix, ids.Add(1)) },
	})
	defer backend.Close()
	return atOnce(b, callers, cycles, func(i int) error { return cycle(s, i) })
}

// atOnce shares the cycles among concurrent callers, and returns the duration of all cycles.
func atOnce(b testing.TB, callers, cycles int, cycle func(i int) error) time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(cycles))
	for i := range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := cycle(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

var detail = strings.Repeat("abcdefgh", 256)

func cycle(s *mailbox.Service, i int) error {
	ctx := context.Background()
	request := func(by schemas.Caller) schemas.Caller { // as every mutating call has
		by.Request = fmt.Sprintf("%016x%s", time.Now().UnixMilli(), s.NewID("r"))
		return by
	}
	from := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("planner-%d", i)), Via: schemas.ViaHTTP}
	to := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("worker-%d", i)), Via: schemas.ViaHTTP}
	if _, err := s.Send(ctx, request(from), schemas.SendIn{To: string(to.Agent), Task: "run the tests", Detail: detail, Parent: "none"}); err != nil {
		return err
	}
	claim, err := s.Claim(ctx, request(to), schemas.ClaimIn{})
	if err != nil {
		return err
	}
	_, err = s.Complete(ctx, request(to), schemas.CompleteIn{HandoffID: claim.HandoffID.String(), Token: claim.Token, Result: schemas.Result{Summary: "passed"}})
	return err
}
