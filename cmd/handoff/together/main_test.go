//go:build unix

// Package together_test shows that many processes share one store.
//
// There are no stubs: every process is the real program, built before the tests, and the tests call it over standard
// input and output, as MCP clients do. The tests start, stop and kill processes. Then they compare the answers to the
// clients with the registry, and print figures (go test -v). They run with HANDOFF_PROOFS=1, as in make proofs. The
// tests of the judge always run.
//
//	HANDOFF_CHAOS=10m      how long owners are killed (default 10s)
//	HANDOFF_CYCLES=200     how often four processes are started and ended (default 20)
//	HANDOFF_IDLE=60s       how long processes are left alone (default 10s)
//	HANDOFF_KILLS=200      how often what serves 100 waits is killed (default 20)
//	HANDOFF_LIVES=500      how many lives of sessions are tried (default 20)
//	HANDOFF_REHEARSAL=1000 how many handoffs there are before everything is lost (default 200)
//	HANDOFF_SEED=1         repeats a run as far as chance decides it
//	HANDOFF_PROGRAM=FILE   the program to try, instead of building it: with -race, or a release
//
// A process is in process_test.go, its protocol in speech_test.go, and the shared workspace in place_test.go. An act is
// a call with its answer (act_test.go). The judge checks whether all acts fit together (judge_test.go).
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
