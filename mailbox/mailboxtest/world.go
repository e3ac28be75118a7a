// Package mailboxtest opens a real workspace inside a test: a [mailbox.Service] over a real store, whose clock stands
// still until the test moves it and whose ids are counted. Every test that needs a workspace in its own process
// begins here.
//
// Nothing in it is a stand-in: rules, store and registry are those of the program. Only the clock and the ids are the
// test's, so that what a test sees is the same each time.
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

// World is one workspace. Its methods and those of its service may be called concurrently, except [World.Restart].
// Whatever a test does, the end of the test finds a store whose indexes, counters and hashes are whole, or fails.
type World struct {
	*mailbox.Service
	Store   *store.Store
	T       testing.TB     // fails when a call does not go as its method says
	config  mailbox.Config // as it was given to the service
	passed  atomic.Int64   // since [Start], in nanoseconds
	ids     atomic.Int64
	closing sync.Once
}

// Start is when the clock of every world begins.
func Start() time.Time { return time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC) }

// New opens a workspace. The changes are applied to its configuration: see [On] and [LiveClock]. Without any it is kept by
// [Memory]. The end of the test checks every index, counter and byte of the store, and closes it. Its ids are counted
// from 1 over all prefixes, so a golden file that shows ids shows the same ones each time.
func New(t testing.TB, changes ...func(*mailbox.Config)) *World {
	t.Helper()
	w := &World{T: t}
	w.config = withChanges(mailbox.Config{
		Now:   func() time.Time { return Start().Add(time.Duration(w.passed.Load())) },
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, w.ids.Add(1)) },
	}, changes)
	if w.config.Store == nil {
		w.config.Store = store.New(Memory(t))
	}
	w.Service, w.Store = mailbox.New(w.config), w.config.Store
	t.Cleanup(w.Close)
	return w
}

// On has the workspace kept by a backend, which the world closes.
func On(b store.Backend) func(*mailbox.Config) {
	return func(c *mailbox.Config) { c.Store = store.New(b) }
}

// LiveClock lets the clock go on, for tests inside a bubble of testing/synctest.
func LiveClock(c *mailbox.Config) { c.Now = time.Now }

// Backends opens each kind of store.
var Backends = map[string]func(testing.TB) store.Backend{"memory": Memory, "bolt": File}

// Memory is a store in memory that runs the function of every update twice, so that one which leaves something of the
// first run in the second is found.
func Memory(testing.TB) store.Backend { return storetest.Twice(memory.New()) }

// File is a store in a file of its own.
func File(t testing.TB) store.Backend {
	t.Helper()
	return storetest.Bolt(t, filepath.Join(t.TempDir(), "handoff.db"))
}

// Close is what the end of the test does, for a test that goes on without the store.
func (w *World) Close() {
	w.T.Helper()
	w.closing.Do(func() {
		w.Intact()
		require.NoError(w.T, w.Store.Close())
	})
}

// Pass moves the clock.
func (w *World) Pass(d time.Duration) { w.passed.Add(int64(d)) }

// Restart puts the next service over the store, with the same configuration except for these changes, as if the process
// had died: it knows no connection and no wait of the service before it. Nothing else may be under way.
func (w *World) Restart(changes ...func(*mailbox.Config)) {
	w.Service = mailbox.New(withChanges(w.config, changes))
}

// Intact checks the whole store and its registry, and fails the test on anything that does not agree.
func (w *World) Intact() {
	w.T.Helper()
	out, err := audit.Examine(context.Background(), w.Store, reading.Words)
	require.NoError(w.T, err)
	require.Empty(w.T, out.Faults)
}
