//go:build linux

package figures_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
)

// TestGrowth_StaysWithinBounds prints the costs of a workspace with many completed handoffs and of an empty workspace,
// in the same run. HANDOFF_STORED is the number of handoffs. Without HANDOFF_STORED the test uses a small number, to
// check that it works.
func TestGrowth_StaysWithinBounds(t *testing.T) {
	stored := programtest.ProofSize(t, "HANDOFF_STORED", 200, 200, strconv.Atoi)
	r := &run{T: t, calls: 32, rounds: 1, stored: stored}
	if stored > 200 {
		r.calls, r.rounds = 400, 3
	}
	r.program = made.Program(t)
	small, large := r.TempDir(), r.TempDir()
	r.fill(large, stored)
	r.grown(small, large)
	t.Log("\n" + r.table())
}

// grown compares calls of a server of each workspace, which do the same.
func (r *run) grown(small, large string) {
	server := func(state string) *process {
		return r.start(state, r.program, "mcp", "--workspace", "figures", "--agent", "planner").hello()
	}
	with := func(what string) string { return fmt.Sprintf("%s, %d stored", what, r.stored) }
	server(small).end()
	r.add(with("start to tools/list"), "ms", "the same with nothing stored", "≤ 2", func() (float64, float64) {
		list := func(state string) func() time.Duration {
			return func() time.Duration { return r.listed(state, r.program, "mcp", "--workspace", "figures") }
		}
		return alternately(max(1, r.calls/20), list(large), list(small))
	})
	ours, empty := server(large), server(small)
	defer func() { ours.end(); empty.end() }()
	n := 0
	for _, call := range []struct{ what, params string }{
		{"send of 2 KB", ""},
		{"claim", `{"name":"claim_handoff","arguments":{}}`},
		{"list", `{"name":"list_handoffs","arguments":{"box":"sent"}}`},
		{"history", `{"name":"handoff_history","arguments":{}}`},
	} {
		ask := func(p *process) func() time.Duration {
			return func() time.Duration {
				params := call.params
				if params == "" {
					n++
					params = strings.Replace(send(n), "qa-0", "planner", 1)
				}
				return took(func() { p.call(params) })
			}
		}
		r.add(with(call.what+", p50"), "ms", "the same with nothing stored", "≤ 1.5", func() (float64, float64) {
			return alternately(r.calls, ask(ours), ask(empty))
		})
	}
	r.add(with("memory after that"), "MB", "the same with nothing stored", "≤ 60 MB", func() (float64, float64) {
		return ours.anonymous(), empty.anonymous()
	})
	r.add(with("verify"), "events/s", "", "≥ 100000", func() (float64, float64) { return ours.verifies(large), 0 })
}

// verifies is how many events of the registry the command checks in a second.
func (p *process) verifies(state string) float64 {
	began := time.Now()
	out := p.said(state, p.program, "audit", "verify", "--json", "--workspace", "figures")
	took := time.Since(began)
	var audit struct {
		OK     bool
		Events int
	}
	require.NoError(p, json.Unmarshal(out, &audit))
	require.True(p, audit.OK)
	return float64(audit.Events) / took.Seconds()
}
