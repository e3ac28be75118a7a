//go:build linux

package figures_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
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
	r.program, r.dir = made.Program(t), r.repository(min(5000, stored))
	small, large := r.TempDir(), r.TempDir()
	r.fill(large, stored)
	r.grown(small, large)
	r.teams(small, large)
	t.Log("\n" + r.table())
}

// grown compares calls of a server of each workspace, which do the same.
func (r *run) grown(small, large string) {
	server := func(state string) *process { return r.agent(state, r.program, "planner") }
	with := func(what string) string { return fmt.Sprintf("%d stored: %s", r.stored, what) }
	server(small).end()
	same := "the same with nothing stored"
	list := func(state string) func() time.Duration {
		return func() time.Duration { return r.listed(state, r.program, "mcp", "--workspace", "figures") }
	}
	r.byTurns(with("start to tools/list"), same, "≤ 2", max(1, r.calls/20), list(large), list(small))
	ours, empty := server(large), server(small)
	defer func() { ours.end(); empty.end() }()
	r.compare(with(""), ours, empty, same, map[int]string{claims: "≤ 1.5", completions: "≤ 1.5", wholes: "≤ 1.5"})
	for what, arguments := range map[string]string{"list_handoffs": `{"box":"sent"}`, "handoff_history": "{}"} {
		ask := func(p *process) func() time.Duration {
			return func() time.Duration {
				return took(func() { p.call(fmt.Sprintf(`{"name":%q,"arguments":%s}`, what, arguments)) })
			}
		}
		r.byTurns(with(what+", p50"), same, "≤ 1.5", r.calls, ask(ours), ask(empty))
	}
	r.add(with("memory after that"), "MB", same, "≤ 60 MB", func() (float64, float64) {
		return ours.anonymous(), empty.anonymous()
	})
	r.add(with("verify"), "events/s", "", "≥ 100000", func() (float64, float64) { return ours.verifies(large), 0 })
}

// teams compares eight agents that make cycles at the same time, while more agents wait for work, with eight alone. Each
// agent has a process. Many handoffs are stored for the larger team, and few for the smaller one.
func (r *run) teams(small, large string) {
	idle := min(42, r.stored/50)
	team, alone := r.team(large, 8+idle), r.team(small, 8)
	what, floor := fmt.Sprintf("%d stored, 8 of %d agents: ", r.stored, 8+idle), "8 agents alone with little stored"
	r.addRows([]row{{what: what + "cycles", unit: "/s", floor: floor}, {what: what + "cycle, p50", unit: "ms", floor: floor}},
		func() (a, b []float64) { return r.work(team), r.work(alone) })
	for _, p := range slices.Backward(slices.Concat(alone, team)) { // the owner ends last
		p.end()
	}
}

func (r *run) team(state string, agents int) (all []*process) {
	for i := range agents {
		all = append(all, r.agent(state, r.program, fmt.Sprint("agent-", i)))
	}
	return all
}

// work has eight agents of a team make cycles. It gives how many ended in a second, and their median.
func (r *run) work(team []*process) []float64 {
	for _, p := range team[8:] {
		p.request("tools/call", waiting)
	}
	var working sync.WaitGroup
	cycles, began := make([][]time.Duration, 8), time.Now()
	for i := range cycles {
		working.Go(func() {
			for range max(2, r.calls/20) {
				cycles[i] = append(cycles[i], team[i].lap()[wholes])
			}
		})
	}
	working.Wait()
	all := slices.Concat(cycles...)
	return []float64{float64(len(all)) / time.Since(began).Seconds(), ms(median(all))}
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
