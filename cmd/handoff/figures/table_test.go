//go:build linux

package figures_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/cmd/handoff/internal/programtest"
)

// made is where the program comes from.
var made = programtest.New(
	programtest.Source{Name: "empty", Package: "./testdata/empty"}, programtest.Source{Name: "nothing", Package: "./testdata/nothing"},
)

func TestMain(m *testing.M) { os.Exit(made.RunProofs(m)) }

// TestFigures_PrintTable prints the table of docs/performance.md. HANDOFF_FIGURES=1 measures in full. Without it the
// test makes a small number of calls, to check that it works.
func TestFigures_PrintTable(t *testing.T) {
	r := newRun(t)
	r.dir = r.repository(r.files)
	r.feels()
	r.costs()
	r.starts()
	for _, stored := range []int{0, r.stored} {
		state := t.TempDir()
		r.fill(state, stored)
		r.overStdio(state, stored)
		r.overHTTP(state, stored)
	}
	t.Log("\n" + r.table())
}

// run makes the figures.
type run struct {
	*testing.T
	calls, rounds, stored, files int
	program, empty, nothing      string
	dir                          string   // in which programs work; "" is an empty one outside of git for each
	env                          []string // of programs, in addition
	rows                         []row
}

func newRun(t *testing.T) *run {
	r := &run{T: t, calls: 64, rounds: 1, stored: 200, files: 50}
	if os.Getenv("HANDOFF_FIGURES") != "" {
		r.calls, r.rounds, r.stored, r.files = 4000, 3, 100_000, 5000
	}
	r.program, r.empty, r.nothing = made.Program(t), made.Path(t, "empty"), made.Path(t, "nothing")
	return r
}

// row is one figure beside its floor.
type row struct {
	what, floor string
	ours, best  []float64 // one for each round
	unit        string
	aim         string
}

// add appends a row of medians. Each round gives a figure and its floor, one right after the other.
func (r *run) add(what, unit, floor, aim string, round func() (ours, best float64)) {
	r.addRows([]row{{what: what, unit: unit, floor: floor, aim: aim}}, func() (ours, best []float64) {
		a, b := round()
		return []float64{a}, []float64{b}
	})
}

// byTurns appends a row of the medians, in milliseconds, of how long two things took that were done by turns.
func (r *run) byTurns(what, floor, aim string, times int, ours, best func() time.Duration) {
	r.add(what, "ms", floor, aim, func() (float64, float64) {
		var a, b []time.Duration
		for range times {
			a, b = append(a, ours()), append(b, best())
		}
		return ms(median(a)), ms(median(b))
	})
}

// addRows appends rows that are measured together.
func (r *run) addRows(rows []row, round func() (ours, best []float64)) {
	for range r.rounds {
		ours, best := round()
		for i := range rows {
			rows[i].ours, rows[i].best = append(rows[i].ours, ours[i]), append(rows[i].best, best[i])
		}
	}
	r.rows = append(r.rows, rows...)
}

// ratio is the median of the ratios of the rounds.
func (w row) ratio() float64 {
	all := make([]float64, len(w.ours))
	for i := range all {
		all[i] = w.ours[i] / w.best[i]
	}
	return median(all)
}

func (r *run) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %-46s | %16s | %16s | %6s | %-8s | %s |\n|---|---:|---:|---:|---|---|\n", "what", "ours", "floor", "ratio", "aim", "the floor is")
	for _, w := range r.rows {
		floor, ratio := "", ""
		if best := median(w.best); best > 0 {
			floor, ratio = fmt.Sprintf("%.2f %s", best, w.unit), fmt.Sprintf("%.2f", w.ratio())
		}
		fmt.Fprintf(&b, "| %-46s | %16s | %16s | %6s | %-8s | %s |\n", w.what, fmt.Sprintf("%.2f %s", median(w.ours), w.unit), floor, ratio, w.aim, w.floor)
	}
	return b.String()
}

func median[T int64 | float64 | time.Duration](all []T) T {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }
