// Package simulation_test simulates agents in a workspace where anything may happen at any moment, and checks the rules
// of package mailbox after each step.
//
// Four agents and a person send, claim, wait, report, ask, answer, pass on, complete, fail, judge and take back. Their
// calls are lost, arrive twice and are repeated. Connections break, the process that owns the workspace dies, and time
// passes. A seed decides all of it: each transaction waits at a gate until its turn (gate_test.go), and
// testing/synctest gives the clock. So a seed always leads to the same life (one run of a workspace). The wall clock
// decides only the number of lives.
//
//	HANDOFF_SIMULATION=10m   how long new lives are begun (default: some fixed ones, and a new one)
//	HANDOFF_SEED=1           one life, with its whole log
//
// The world is in world_test.go, agents choose their calls in agents_test.go, and network_test.go brings the calls to
// the service. A step (step_test.go) has the changes of a transaction and the answers that clients got meanwhile. The
// rules (rules_test.go) judge a step by the store and by earlier answers. Injected faults (faults_test.go) show that
// each rule finds the errors that it exists for.
package simulation_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// moves is the length of a life, in moves of the world.
const moves = 1500

func TestSimulation_RulesHold(t *testing.T) {
	began, lives, steps, sent := time.Now(), 0, 0, 0
	try := func(seed uint64) {
		l := simulate(t, seed, moves, fault{})
		lives, steps, sent = lives+1, steps+l.steps, sent+len(l.seen.order)
		if len(l.broken) > 0 {
			t.Fatalf("HANDOFF_SEED=%d repeats this:\n%s", seed, l.lastLines(150))
		}
	}
	fresh := uint64(began.UnixNano())
	switch text := os.Getenv("HANDOFF_SEED"); {
	case text != "":
		seed, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "HANDOFF_SEED")
		l := simulate(t, seed, moves, fault{})
		require.Empty(t, l.broken, "%s", l.lastLines(len(l.trace)))
		t.Log(l.lastLines(len(l.trace)))
	case os.Getenv("HANDOFF_SIMULATION") != "":
		lasts, err := time.ParseDuration(os.Getenv("HANDOFF_SIMULATION"))
		require.NoError(t, err, "HANDOFF_SIMULATION")
		for time.Since(began) < lasts {
			try(fresh + uint64(lives))
		}
	default:
		for seed := range uint64(fixedLifeCount()) {
			try(seed)
		}
		try(fresh)
	}
	if took := time.Since(began); lives > 0 {
		t.Logf("from seed %d: %d lives, %d handoffs, %d steps, %.0f a second", fresh, lives, sent, steps, float64(steps)/took.Seconds())
	}
}

// fixedLifeCount returns the number of lives with a fixed seed.
func fixedLifeCount() int {
	if testing.Short() {
		return 2
	}
	return 8
}

func TestSimulation_SeedIsReproducible(t *testing.T) {
	for seed := range uint64(fixedLifeCount() / 2) {
		once, again := simulate(t, seed, moves, fault{}), simulate(t, seed, moves, fault{})
		require.Equal(t, strings.Split(once.lastLines(len(once.trace)), "\n"), strings.Split(again.lastLines(len(again.trace)), "\n"), "seed %d", seed)
	}
}

// The rule for a fault finds it, and finds it again with the same seed.
func TestSimulation_FindsInjectedFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			steps := 0
			for seed := range uint64(60) {
				l := simulate(t, seed, moves, f)
				if steps += l.steps; !l.isRuleBroken(f.catches) {
					continue
				}
				again := simulate(t, seed, moves, f)
				require.Equal(t, fmt.Sprint(l.rulesBroken()), fmt.Sprint(again.rulesBroken()))
				require.Equal(t, l.lastLines(20), again.lastLines(20))
				t.Logf("seed %d, after %d steps: %s", seed, steps, l.rulesBroken())
				return
			}
			t.Fatalf("%d steps, and no rule found it", steps)
		})
	}
}
