//go:build linux

package figures_test

import (
	"fmt"
	"strings"
	"time"
)

const claim = `{"name":"claim_handoff","arguments":{}}`

func complete(id string) string {
	return fmt.Sprintf(`{"name":"complete_handoff","arguments":{"handoff_id":%q,"summary":"passed"}}`, id)
}

// idOf is the first id of a handoff in an answer.
func idOf(answer string) string {
	_, rest, _ := strings.Cut(answer, `"handoff_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// parts are the parts of a lap.
var parts = []string{"send of 2 KB, p50", "claim, p50", "completion, p50", "cycle, p50", "claim that finds nothing, p50"}

// Rows of parts, and the first row after them.
const claims, completions, wholes, empties, crowds = 1, 2, 3, 4, 5

// lap is how long the parts of a cycle took. An agent sends itself a handoff, claims it and completes it at once.
func (p *process) lap() []time.Duration {
	id := ""
	send := took(func() { p.call(send(p.agent, p.n)) })
	got := took(func() { id = idOf(p.call(claim)) })
	done := took(func() { p.call(complete(id)) })
	return []time.Duration{send, got, done, send + got + done, took(func() { p.call(claim) })}
}

// cycles has callers make cycles, and gives how many ended in a second.
func (p *process) cycles(callers, cycles int) float64 {
	left := cycles
	return p.flood(callers, 3*cycles, func(answer string) string {
		switch {
		case strings.Contains(answer, `"status":"pending"`):
			return claim
		case answer != "" && !strings.Contains(answer, `"status":"completed"`):
			return complete(idOf(answer))
		case left == 0:
			return ""
		}
		left--
		return send(p.agent, left)
	}) / 3
}

// crowd makes cycles with 64 callers. It gives how many ended in a second, and the milliseconds for which handoff and
// its processes of git were on a processor for one of them.
func (p *process) crowd() []float64 {
	cycles := max(8, p.calls/16)
	own, git := p.busy(ofProgram), p.busy(ofChildren)
	perSecond := p.cycles(64, cycles)
	return []float64{perSecond, ms(p.busy(ofProgram)-own) / float64(cycles), ms(p.busy(ofChildren)-git) / float64(cycles)}
}

// compare adds rows about cycles of two servers, by turns. The aims are by row.
func (r *run) compare(where string, ours, theirs *process, floor string, aims map[int]string) {
	var rows []row
	for i, what := range append(parts[:crowds:crowds], "cycles, 64 at a time", "CPU of such a cycle, handoff", "CPU of such a cycle, git") {
		rows = append(rows, row{what: where + what, unit: "ms", floor: floor, aim: aims[i]})
	}
	rows[crowds].unit = "/s"
	r.addRows(rows, func() (a, b []float64) {
		x, y := make([][]time.Duration, crowds), make([][]time.Duration, crowds)
		for range max(2, r.calls/80) {
			one, other := ours.lap(), theirs.lap()
			for i := range one {
				x[i], y[i] = append(x[i], one[i]), append(y[i], other[i])
			}
		}
		for i := range x {
			a, b = append(a, ms(median(x[i]))), append(b, ms(median(y[i])))
		}
		return append(a, ours.crowd()...), append(b, theirs.crowd()...)
	})
}
