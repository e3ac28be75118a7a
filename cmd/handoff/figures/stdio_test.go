//go:build linux

package figures_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

var twoKB = strings.Repeat("abcdefgh", 256)

// box is an agent for each thousand handoffs, because a box gets no more than it may have.
func box(n int) string { return fmt.Sprint("qa-", n/1000) }

func send(to string, n int) string {
	return fmt.Sprintf(`{"name":"send_handoff","arguments":{"to":%q,"task":"task %d","detail":%q,"parent":"none"}}`, to, n, twoKB)
}

func echo(string) string { return fmt.Sprintf(`{"name":"echo","arguments":{"text":%q}}`, twoKB) }

// overStdio measures calls of one client.
func (r *run) overStdio(state string, stored int) {
	ours := r.agent(state, r.program, "planner")
	empty := r.start(state, r.empty).hello()
	raw := openRaw(r)
	defer func() { ours.end(); empty.end(); raw.close() }()
	with := func(what string) string { return fmt.Sprintf("stdio, %d stored: %s", stored, what) }
	ours.ask("tools/list", "{}")
	r.add(with("memory, idle"), "MB", "", "≤ 6", func() (float64, float64) { return ours.anonymous(), 0 })

	commit := func() time.Duration { return took(func() { raw.commit(r) }) }
	call := func(p *process, params string) time.Duration { return took(func() { p.call(params) }) }
	answer := ours.call(send(box(0), 0))
	id := idOf(answer)
	require.NotEmpty(r, id, answer)
	many, n := max(1, r.calls/8), 0
	r.byTurns(with("send of 2 KB, p50"), "a commit of 2 KB and an echo of 2 KB", "≤ 1.6", many,
		func() time.Duration { n++; return call(ours, send(box(n), n)) }, func() time.Duration { return commit() + call(empty, echo("")) })
	get := fmt.Sprintf(`{"name":"get_handoff","arguments":{"handoff_id":%q}}`, id)
	r.byTurns(with("get of 2 KB, p50"), "an echo of 2 KB", "≤ 1", many,
		func() time.Duration { return call(ours, get) }, func() time.Duration { return call(empty, echo("")) })
	for _, callers := range []int{1, 8, 64} {
		aim := map[int]string{64: "≥ 0.2"}[callers]
		r.add(with(fmt.Sprintf("sends of 2 KB, %d at a time", callers)), "/s", "bbolt Batch of one put", aim, func() (float64, float64) {
			sends := ours.flood(callers, r.calls, func(string) string { n++; return send(box(n), n) })
			return sends, raw.batches(r, callers, r.calls)
		})
	}
	r.add(with("echoes by an empty server, 64 at a time"), "/s", "bbolt Batch of one put", "", func() (float64, float64) {
		return empty.flood(64, r.calls, echo), raw.batches(r, 64, r.calls)
	})
	r.add(with("CPU of a send, 64 at a time"), "ms", "of an echo", "≤ 0.27 ms", func() (float64, float64) {
		return ours.cost(func(string) string { n++; return send(box(n), n) }), empty.cost(echo)
	})
	r.add(with("memory after that"), "MB", "", "≤ 30", func() (float64, float64) { return ours.anonymous(), 0 })
}

func took(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// call calls a tool, which must not fail.
func (p *process) call(params string) string {
	line := p.ask("tools/call", params)
	p.sound(line)
	return line
}

func (p *process) sound(line string) {
	if strings.Contains(line, `"isError":true`) || strings.Contains(line, `"error":`) {
		p.Fatal(line[:min(len(line), 1000)])
	}
}

// flood makes calls with so many under way at a time, and gives how many were answered in a second. A caller's next call
// depends on the last answer. An empty one ends the caller.
func (p *process) flood(callers, calls int, params func(answer string) string) float64 {
	began, left := time.Now(), calls
	next := func(answer string) {
		if call := params(answer); left > 0 && call != "" {
			left--
			p.request("tools/call", call)
		}
	}
	for range callers {
		next("")
	}
	for range calls {
		line := p.answer()
		p.sound(line)
		next(line)
	}
	return float64(calls) / time.Since(began).Seconds()
}

// cost returns the processor time of one call, in milliseconds, with 64 calls under way. The clock has steps of 10 ms.
func (p *process) cost(params func(string) string) float64 {
	before := p.busy(ofProgram)
	p.flood(64, 2*p.calls, params)
	return ms(p.busy(ofProgram)-before) / float64(2*p.calls)
}
