//go:build unix

package together_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// BenchmarkWake measures how long after the answer to a send in one process a claim that waits in another is
// answered: where both are guests of a third, and where the waiter owns the store.
func BenchmarkWake(b *testing.B) {
	p := newPlace(b)
	owner, guests := p.parted(p.several("planner", "qa", "dev"))
	sender := guests[0]
	for name, waiter := range map[string]*process{"between-guests": guests[1], "to-the-owner": owner} {
		b.Run(name, func(b *testing.B) {
			var all []time.Duration
			for b.Loop() {
				all = append(all, wake(b, sender, waiter, waiter.agent))
			}
			reportWakes(b, all)
		})
	}
}

// BenchmarkWakeAcrossNodes measures the same where each is at a node of its own: that of the sender owns the workspace,
// that of the waiter does, or a third one.
func BenchmarkWakeAcrossNodes(b *testing.B) {
	c := newCluster(b, 3)
	at := func(node int, name string) *remote {
		r, err := c.join("http://"+c.nodes[node].Load().host+"/w/w/mcp", name)
		require.NoError(b, err)
		return r
	}
	require.NoError(b, at(0, "first").call(b.Context(), "list_handoffs", schemas.ListIn{}, nil), "it becomes the owner")
	for name, by := range map[string][2]int{"from-the-owner": {0, 1}, "to-the-owner": {1, 0}, "over-the-owner": {1, 2}} {
		b.Run(name, func(b *testing.B) {
			sender, waiter := at(by[0], "sends-"+name), at(by[1], "waits-"+name)
			var all []time.Duration
			for b.Loop() {
				all = append(all, wake(b, sender, waiter, "waits-"+name))
			}
			reportWakes(b, all)
		})
	}
}

func reportWakes(b *testing.B, all []time.Duration) {
	b.ReportMetric(0, "ns/op") // a round, of which only a part is meant
	b.ReportMetric(milliseconds(part(all, 0.5)), "p50-ms")
	b.ReportMetric(milliseconds(part(all, 0.99)), "p99-ms")
}

// wake has one agent wait and another send, and gives the time from the one answer to the other.
func wake(b *testing.B, sender, waiter caller, name string) time.Duration {
	ctx := b.Context()
	type taken struct {
		schemas.ClaimOut
		at  time.Time
		err error
	}
	woken := make(chan taken, 1)
	go func() {
		var out schemas.ClaimOut
		err := waiter.call(ctx, "claim_handoff", schemas.ClaimIn{WaitSeconds: 50}, &out)
		woken <- taken{out, time.Now(), err}
	}()
	// Asked after it, so that the claim most likely waits by now.
	require.NoError(b, waiter.call(ctx, "list_handoffs", schemas.ListIn{Limit: 1}, nil))
	require.NoError(b, sender.call(ctx, "send_handoff", schemas.SendIn{To: name, Task: "try it", Parent: "none"}, nil))
	sent := time.Now()
	got := <-woken
	require.NoError(b, got.err)
	done := schemas.CompleteIn{HandoffID: got.HandoffID.String(), Token: got.Token, Result: schemas.Result{Summary: "tried"}}
	require.NoError(b, waiter.call(ctx, "complete_handoff", done, nil))
	return got.at.Sub(sent)
}

// BenchmarkDetour measures the same calls in the process that owns the store and in one that goes through it,
// by turns.
func BenchmarkDetour(b *testing.B) {
	p := newPlace(b)
	owner, guests := p.parted(p.several("planner", "qa"))
	_, err := owner.send(p.ctx, schemas.SendIn{To: "nobody", Task: "try it"})
	require.NoError(b, err)
	sends := 0
	for name, call := range map[string]func(*process) error{
		"get": func(s *process) error {
			return s.call(p.ctx, "get_handoff", schemas.GetIn{HandoffID: "ho_1"}, nil)
		},
		"send": func(s *process) error {
			sends++ // a mailbox takes 10,000
			to := fmt.Sprintf("nobody-%d", sends/5000)
			return s.call(p.ctx, "send_handoff", schemas.SendIn{To: to, Task: "try it", Parent: "none"}, nil)
		},
	} {
		b.Run(name, func(b *testing.B) {
			var direct, through []time.Duration
			for b.Loop() {
				direct = append(direct, timed(b, func() error { return call(owner) }))
				through = append(through, timed(b, func() error { return call(guests[0]) }))
			}
			b.ReportMetric(0, "ns/op") // both calls
			b.ReportMetric(milliseconds(part(direct, 0.5)), "owner-p50-ms")
			b.ReportMetric(milliseconds(part(through, 0.5)), "guest-p50-ms")
			b.ReportMetric(milliseconds(part(through, 0.5)-part(direct, 0.5)), "detour-p50-ms")
		})
	}
}

func timed(b *testing.B, call func() error) time.Duration {
	began := time.Now()
	require.NoError(b, call())
	return time.Since(began)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
