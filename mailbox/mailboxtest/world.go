// Package mailboxtest opens a real workspace inside a test: a [mailbox.Service] over a real store. Its clock stands
// still until the test moves it, and its ids are counted. Every test that needs a workspace in its own process begins
// here.
//
// It contains no fakes: rules, store and registry are the program's own. Only the clock and the ids are the test's, so
// that each run gives the same results.
package mailboxtest

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/reading"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/memory"
	"handoff/store/storetest"
)

// World is one workspace. Its methods and those of its service may be called concurrently, except [World.Restart]. The
// end of the test checks that indexes, counters and hashes of the store are intact, and fails the test if they are not.
type World struct {
	*mailbox.Service
	Store   *store.Store
	T       testing.TB     // fails when a call does not go as its method says
	config  mailbox.Config // as it was given to the service
	passed  atomic.Int64   // since [StartTime], in nanoseconds
	ids     atomic.Int64
	closing sync.Once
}

// StartTime returns the time at which the clock of every world begins.
func StartTime() time.Time { return time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC) }

// New opens a workspace. The changes are applied to its configuration: see [InBackend] and [LiveClock]. Without a store
// in it, New uses [NewMemoryBackend]. The end of the test checks every index, counter and byte of the store, and closes
// it. Ids are counted from 1 over all prefixes, so a golden file that shows ids shows the same ones each time.
func New(t testing.TB, changes ...func(*mailbox.Config)) *World {
	t.Helper()
	w := &World{T: t}
	w.config = withChanges(mailbox.Config{
		Now:   func() time.Time { return StartTime().Add(time.Duration(w.passed.Load())) },
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, w.ids.Add(1)) },
	}, changes)
	if w.config.Store == nil {
		w.config.Store = store.New(NewMemoryBackend(t))
	}
	w.Service, w.Store = mailbox.New(w.config), w.config.Store
	t.Cleanup(w.Close)
	return w
}

// InBackend keeps the workspace in a backend, which the world closes.
func InBackend(b store.Backend) func(*mailbox.Config) {
	return func(c *mailbox.Config) { c.Store = store.New(b) }
}

// LiveClock makes the clock advance, for tests inside a bubble of testing/synctest.
func LiveClock(c *mailbox.Config) { c.Now = time.Now }

// Backends opens each kind of store.
var Backends = map[string]func(testing.TB) store.Backend{"memory": NewMemoryBackend, "bolt": NewFileBackend}

// NewMemoryBackend returns a store in memory that runs the function of every update twice. So tests find functions that
// leave state of the first run in the second.
func NewMemoryBackend(testing.TB) store.Backend { return storetest.RunUpdatesTwice(memory.New()) }

// NewFileBackend returns a store in a file of its own.
func NewFileBackend(t testing.TB) store.Backend {
	t.Helper()
	return storetest.OpenBolt(t, filepath.Join(t.TempDir(), "handoff.db"))
}

// Close does the checks of the test's end at once, for a test that goes on without the store.
func (w *World) Close() {
	w.T.Helper()
	w.closing.Do(func() {
		w.CheckIntact()
		require.NoError(w.T, w.Store.Close())
	})
}

// Pass moves the clock.
func (w *World) Pass(d time.Duration) { w.passed.Add(int64(d)) }

// Restart puts the next service over the store, with the same configuration except for these changes, as if the process
// had died: it knows no connection and no wait of the service before. No other call may be under way.
func (w *World) Restart(changes ...func(*mailbox.Config)) {
	w.Service = mailbox.New(withChanges(w.config, changes))
}

// CheckIntact checks the whole store and its registry, and fails the test on any fault.
func (w *World) CheckIntact() {
	w.T.Helper()
	out, err := audit.ExamineStore(context.Background(), w.Store, reading.SearchWords)
	require.NoError(w.T, err)
	require.Empty(w.T, out.Faults)
}
