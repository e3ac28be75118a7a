//go:build unix

// Package together_test shows that many processes share one store.
//
// Nothing here is a stub: every process is the real program, built before the tests, which talk to it over standard
// input and output as MCP clients do. They run with HANDOFF_PROOFS=1, as make proofs does; the tests of the judge run
// always. The tests kill processes, stop them, and start them at the same moment, and then compare the answers to
// clients with the registry. Each prints its figures, see go test -v; the benchmarks print theirs.
//
//	HANDOFF_CHAOS=10m      how long owners are killed (default 10s)
//	HANDOFF_CYCLES=200     how often four processes are started and ended (default 20)
//	HANDOFF_IDLE=60s       how long processes are left alone (default 10s)
//	HANDOFF_REHEARSAL=1000 how many handoffs there are before everything is lost (default 200)
//	HANDOFF_SEED=1         repeats a run as far as chance decides it
//	HANDOFF_PROGRAM=FILE   the program to try, instead of building it: with -race, or a release
//
// A process is in process_test.go, how one speaks to it in speech_test.go, the workspace they share in
// place_test.go. A call with its answer is an act (act_test.go); judge_test.go checks whether all acts fit
// together.
package together_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
)

// made is where the programs come from.
var made = programtest.New(programtest.Source{Name: "v1.9.0", Version: "v1.9.0"}, programtest.Source{Name: "v1.10.0", Version: "v1.10.0"})

func TestMain(m *testing.M) { os.Exit(made.Run(m)) }

// lasting is how long something goes on.
func lasting(t testing.TB, name string, otherwise time.Duration) time.Duration {
	t.Helper()
	return programtest.ProofSize(t, name, otherwise, otherwise/5, time.ParseDuration)
}

// chance is a source of random decisions that a failed run names.
func chance(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("HANDOFF_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "HANDOFF_SEED")
		seed = n
	}
	t.Logf("HANDOFF_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 8))
}
