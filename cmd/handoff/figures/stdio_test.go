//go:build linux

package figures_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

var twoKB = strings.Repeat("abcdefgh", 256)

// Each box gets no more than it may have.
func send(n int) string {
	return fmt.Sprintf(`{"name":"send_handoff","arguments":{"to":"qa-%d","task":"task %d","detail":%q}}`, n/1000, n, twoKB)
}

func echo(int) string { return fmt.Sprintf(`{"name":"echo","arguments":{"text":%q}}`, twoKB) }

// overStdio measures calls of one client.
func (r *run) overStdio(state string, stored int) {
	ours := r.start(state, r.program, "mcp", "--workspace", "figures", "--agent", "planner").hello()
	empty := r.start(state, r.empty).hello()
	raw := openRaw(r)
	defer func() { ours.end(); empty.end(); raw.close() }()
	with := func(what string) string { return fmt.Sprintf("stdio, %d stored: %s", stored, what) }
	ours.ask("tools/list", "{}")
	r.add(with("memory, idle"), "MB", "", "≤ 6", func() (float64, float64) { return ours.anonymous(), 0 })

	commit := func() time.Duration { return took(func() { raw.commit(r) }) }
	call := func(p *process, params string) time.Duration { return took(func() { p.call(params) }) }
	answer := ours.call(send(0))
	_, id, _ := strings.Cut(answer, `"handoff_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	require.NotEmpty(r, id, answer)
	many, n := max(1, r.calls/8), 0
	r.add(with("send of 2 KB, p50"), "ms", "a commit of 2 KB and an echo of 2 KB", "≤ 1.6", func() (float64, float64) {
		return alternately(many, func() time.Duration { n++; return call(ours, send(n)) },
			func() time.Duration { return commit() + call(empty, echo(0)) })
	})
	r.add(with("get of 2 KB, p50"), "ms", "an echo of 2 KB", "≤ 1", func() (float64, float64) {
		return alternately(many, func() time.Duration {
			return call(ours, fmt.Sprintf(`{"name":"get_handoff","arguments":{"handoff_id":%q}}`, id))
		}, func() time.Duration { return call(empty, echo(0)) })
	})
	for _, callers := range []int{1, 8, 64} {
		aim := map[int]string{64: "≥ 0.2"}[callers]
		r.add(with(fmt.Sprintf("sends of 2 KB, %d at a time", callers)), "/s", "bbolt Batch of one put", aim, func() (float64, float64) {
			sends := ours.flood(callers, r.calls, func(int) string { n++; return send(n) })
			return sends, raw.batches(r, callers, r.calls)
		})
	}
	r.add(with("echoes by an empty server, 64 at a time"), "/s", "bbolt Batch of one put", "", func() (float64, float64) {
		return empty.flood(64, r.calls, echo), raw.batches(r, 64, r.calls)
	})
	r.add(with("CPU of a send, 64 at a time"), "ms", "of an echo", "≤ 0.27 ms", func() (float64, float64) {
		return ours.cost(func(int) string { n++; return send(n) }), empty.cost(echo)
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

// flood makes calls with so many under way at a time, and gives how many were answered in a second.
func (p *process) flood(callers, calls int, params func(int) string) float64 {
	began := time.Now()
	next := func(i int) {
		p.n++
		_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", p.n, params(i))
		require.NoError(p, err)
	}
	for i := range min(callers, calls) {
		next(i)
	}
	for i := range calls {
		line, err := p.out.ReadString('\n')
		require.NoError(p, err)
		p.sound(line)
		if i+callers < calls {
			next(i + callers)
		}
	}
	return float64(calls) / time.Since(began).Seconds()
}

// cost returns the processor time of one call, in milliseconds, with 64 calls under way. The clock has steps of 10 ms.
func (p *process) cost(params func(int) string) float64 {
	before := p.busy()
	p.flood(64, 2*p.calls, params)
	return ms(p.busy()-before) / float64(2*p.calls)
}
