//go:build unix

package network_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// laps are how long calls took.
type laps []time.Duration

func (l *laps) add(began time.Time) { *l = append(*l, time.Since(began)) }

// at gives the time within which a part of the calls was answered, zero for none.
func (l laps) at(part float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

func (l laps) String() string {
	return fmt.Sprintf("p50 %6.2f ms  p99 %6.2f ms  (%d calls)", ms(l.at(0.5)), ms(l.at(0.99)), len(l))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// idleCalls has as many clients make calls of an empty server, and gives how long each and all of them took.
func (s *site) idleCalls(calls int) (each laps, all time.Duration) {
	s.t.Helper()
	url := s.serveEmpty()
	connections := &http.Transport{MaxIdleConnsPerHost: crowd}
	defer connections.CloseIdleConnections()
	agents, took := make([]*agent, crowd), make([]laps, crowd)
	for i := range agents {
		a, err := join(s.ctx, url, nil, eras[i%2], connections)
		require.NoError(s.t, err)
		agents[i] = a
	}
	var left atomic.Int64
	left.Store(int64(calls))
	errs := make([]error, crowd)
	began := time.Now()
	var group sync.WaitGroup
	for i, a := range agents {
		group.Go(func() {
			for left.Add(-1) >= 0 && errs[i] == nil {
				called := time.Now()
				errs[i] = a.nothing(s.ctx)
				took[i].add(called)
			}
		})
	}
	group.Wait()
	all = time.Since(began)
	for _, err := range errs {
		require.NoError(s.t, err)
	}
	return slices.Concat(took...), all
}

func (a *agent) nothing(ctx context.Context) error {
	r := sdk.CallToolRequest{}
	r.Params.Name = nothing
	_, err := a.CallTool(ctx, r)
	return err
}
