package storetest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/memory"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
	"handoff/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// engines lists all engines, and wrappers over one of them. A new engine gets a row.
var engines = []engine{
	{name: "memory", open: func(testing.TB, string) store.Backend { return memory.New() }},
	{name: "timed", open: func(testing.TB, string) store.Backend { return store.NewTimedBackend(memory.New(), time.Now) }},
	{name: "bolt", keeps: true, open: func(t testing.TB, dir string) store.Backend {
		b, err := bolt.Open(t.Context(), bolt.Config{Path: filepath.Join(dir, "handoff.db")})
		require.NoError(t, err)
		return b
	}},
	{name: "postgres", keeps: true, start: postgrestest.NewWorkspaceOpener},
	{name: "postgres with the least privileges", keeps: true, start: openWithLeastPrivileges},
	{name: "postgres behind pgbouncer", keeps: true, start: func(t testing.TB) func(testing.TB, string) store.Backend {
		return postgrestest.WorkspaceOpener(t, postgrestest.StartPooler(t, postgrestest.StartServer(t)), postgres.Config{})
	}},
	{name: "postgres that keeps little in memory", keeps: true, start: func(t testing.TB) func(testing.TB, string) store.Backend {
		return postgrestest.WorkspaceOpener(t, postgrestest.StartServer(t), postgres.Config{CacheBytes: 1})
	}},
}

type engine struct {
	name  string
	keeps bool                                         // rows beyond its process
	open  func(t testing.TB, dir string) store.Backend // nil: the result of start
	start func(testing.TB) func(t testing.TB, dir string) store.Backend
}

// opener starts the server of an engine for a test, which is skipped where none is installed.
func (e engine) opener(t *testing.T) func(t testing.TB, dir string) store.Backend {
	if e.open != nil {
		return e.open
	}
	return e.start(t)
}

// Each case gets a new empty store. Cases assert outside the functions that they give to View and Update, because an
// engine may run these on a goroutine of its own.
func TestEngines_KeepContractOfBackend(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			open := e.opener(t)
			opened := func(t *testing.T) store.Backend {
				b := open(t, t.TempDir())
				t.Cleanup(func() { require.NoError(t, b.Close()) })
				return b
			}
			for _, test := range contract {
				t.Run(test.name, func(t *testing.T) { test.run(t, opened(t)) })
				t.Run("every function runs twice/"+test.name, func(t *testing.T) { test.run(t, storetest.RunUpdatesTwice(opened(t))) })
			}
		})
	}
}

// contract is the list of an engine's promises, see [store.Backend].
var contract = []struct {
	name string
	run  func(t *testing.T, b store.Backend)
}{
	{"rows come back as they were put", testRows},
	{"keys are checked", testKeys},
	{"spaces never mix", testSpaces},
	{"ranges", testRanges},
	{"ranges of own writes", testRangesOfOwnWrites},
	{"a prefix ends where it ends", testPrefix},
	{"a scan can stop and start again", testStoppedScan},
	{"a scan keeps to its beginning", testWritesDuringScan},
	{"rows are deleted while ranging", testDeleteWhileRanging},
	{"buffers may be used again", testBuffers},
	{"a failed update leaves nothing", testFailure},
	{"a panic leaves nothing", testPanic},
	{"an update that writes nothing", testUpdateWithoutWrites},
	{"a view is one snapshot", testSnapshot},
	{"numbers grow and are unique", testNext},
	{"a cancelled call does not run", testCancelled},
	{"a closed store says so", testClosed},
	{"writers at once lose nothing", testConcurrentWriters},
	{"a failure fails alone", testFailuresAmongConcurrentCalls},
	{"views and updates at once", testConcurrentReaders},
	{"random histories", testHistories},
}

func TestEngines_KeepRowsAfterReopening(t *testing.T) {
	for _, e := range engines {
		if !e.keeps {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			open, dir := e.opener(t), t.TempDir()
			var want []string
			for round := range 5 {
				b := open(t, dir)
				require.Equal(t, want, all(t, b, store.Records), "round %d", round)
				key := string('a' + rune(round))
				put(t, b, store.Records, key, key)
				want = append(want, key+"="+key)
				n := next(t, b, store.Records)
				require.Equal(t, uint64(round+1), n)
				require.NoError(t, b.Close())
			}
		})
	}
}
