//go:build unix

package together_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// BenchmarkCycleOverHTTP has 64 clients send, claim and complete in one workspace of a node of a database, and the same
// at a server with a file, by turns. "of-bolt" is the share of the calls of the latter. It aims at 0.5.
func BenchmarkCycleOverHTTP(b *testing.B) {
	const callers = 64
	c, file := newCluster(b, 1), newPlace(b)
	alone, err := file.serve()
	require.NoError(b, err)
	b.Cleanup(alone.kill)
	onBolt := team(b, file, "http://"+alone.host+"/mcp", callers)
	onPostgres := team(b, c.place, "http://"+c.nodes[0].Load().host+"/w/w/mcp", callers)
	cycles := max(b.N, callers)
	var ours, bolt []time.Duration
	for b.ResetTimer(); len(ours) < 3; {
		ours = append(ours, cycled(b, onPostgres, cycles))
		bolt = append(bolt, cycled(b, onBolt, cycles))
	}
	b.ReportMetric(part(bolt, 0.5).Seconds()/part(ours, 0.5).Seconds(), "of-bolt")
	b.ReportMetric(float64(3*cycles)/part(ours, 0.5).Seconds(), "calls/s")
}

// team is agents of a server that have names by their number.
func team(b *testing.B, p *place, address string, number int) (all []*remote) {
	for i := range number {
		r, err := p.join(address, fmt.Sprintf("agent-%d", i))
		require.NoError(b, err)
		all = append(all, r)
	}
	return all
}

// cycled shares so many cycles among agents, and tells how long they took.
func cycled(b *testing.B, all []*remote, cycles int) time.Duration {
	began := time.Now()
	var left atomic.Int64
	left.Store(int64(cycles))
	var working sync.WaitGroup
	for i, r := range all {
		working.Go(func() {
			for left.Add(-1) >= 0 {
				if err := r.cycle(b.Context(), fmt.Sprintf("agent-%d", i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	working.Wait()
	return time.Since(began)
}

// cycle sends a handoff to the agent itself, claims it and completes it.
func (r *remote) cycle(ctx context.Context, self string) error {
	err := r.call(ctx, "send_handoff", schemas.SendIn{To: self, Task: "try it", Parent: "none"}, nil)
	if err != nil {
		return err
	}
	var got schemas.ClaimOut
	if err := r.call(ctx, "claim_handoff", schemas.ClaimIn{}, &got); err != nil {
		return err
	}
	done := schemas.CompleteIn{HandoffID: got.HandoffID.String(), Token: got.Token, Result: schemas.Result{Summary: "tried"}}
	return r.call(ctx, "complete_handoff", done, nil)
}
