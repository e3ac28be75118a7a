// Package mailboxtest opens a real workspace for a test: a [mailbox.Service] over a real store. Only the clock and the
// ids are replaced. The clock stands still until the test moves it, and ids are counted, so each run gives the same
// results.
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

// World is one workspace of a test. Its methods may be called concurrently, except [World.Restart]. At the end of the
// test, it checks the store and fails the test on any fault.
type World struct {
	*mailbox.Service
	Store   *store.Store
	T       testing.TB     // fails if a call has another result than its method requires
	config  mailbox.Config // as it was given to the service
	passed  atomic.Int64   // since [StartTime], in nanoseconds
	ids     atomic.Int64
	closing sync.Once
}

// StartTime returns the time at which the clock of every world begins.
func StartTime() time.Time { return time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC) }

// New opens a workspace. It applies the changes to the configuration, for example [InBackend] or [LiveClock]. Without a
// store in the configuration, it uses [NewMemoryBackend]. At the end of the test, it checks and closes the store.
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

// NewMemoryBackend returns a store in memory that runs the function of every update twice. So a test fails if a
// function cannot be run again.
func NewMemoryBackend(testing.TB) store.Backend { return storetest.RunUpdatesTwice(memory.New()) }

// NewFileBackend returns a store in a file of its own.
func NewFileBackend(t testing.TB) store.Backend {
	t.Helper()
	return storetest.OpenBolt(t, filepath.Join(t.TempDir(), "handoff.db"))
}

// Close checks and closes the store now. A test calls it if it continues without the store.
func (w *World) Close() {
	w.T.Helper()
	w.closing.Do(func() {
		w.CheckIntact()
		require.NoError(w.T, w.Store.Close())
	})
}

// Pass moves the clock.
func (w *World) Pass(d time.Duration) { w.passed.Add(int64(d)) }

// Restart replaces the service by a new service over the same store, as if the process had died. The changes are
// applied to the configuration. No other call may run at the same time.
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
