package relay_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools/relay"
)

func TestRelay_SharesStoreBetweenProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second, third := w.process(), w.process(), w.process()
	require.EqualValues(t, 1, first.send("Test it"))
	require.EqualValues(t, 2, second.send("Test it again"))
	require.EqualValues(t, 1, third.claim())
	require.EqualValues(t, 2, first.claim())
	require.Equal(t, os.Getpid(), w.owner())
}

func TestRelay_PassesRefusalUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.process(), w.process()
	first.send("Test it")
	_, here := first.try(t.Context(), "qa", "claim_handoff", `{"handoff_id": "9"}`)
	_, there := second.try(t.Context(), "qa", "claim_handoff", `{"handoff_id": "9"}`)
	require.Equal(t, schemas.NotFound, requireCodedError(t, there).Code)
	require.Equal(t, requireCodedError(t, here).Hint, requireCodedError(t, there).Hint)
	require.Equal(t, requireCodedError(t, here).Message, requireCodedError(t, there).Message)
}

func TestRelay_NextProcessOwnsStoreAfterOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second, third := w.process(), w.process(), w.process()
	first.send("Test it")
	require.EqualValues(t, 1, second.claim())
	require.NoError(t, first.Close())
	require.EqualValues(t, 2, second.send("Test it again"))
	require.EqualValues(t, 2, third.claim())
	require.NoError(t, second.Close())
	require.True(t, third.call("", "audit_verify", `{}`).OK)
}

func TestRelay_LastProcessLeavesNoFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no sockets")
	}
	t.Parallel()
	w := newWorld(t)
	only := w.process()
	only.send("Test it")
	require.FileExists(t, filepath.Join(w.dir, "handoff.sock"))
	require.NoError(t, only.Close())
	require.NoError(t, only.Close(), "twice")
	require.NoFileExists(t, filepath.Join(w.dir, "handoff.sock"))
	require.NoFileExists(t, filepath.Join(w.dir, "owner.json"))
	_, err := only.try(t.Context(), "dev", "list_agents", `{}`)
	require.Equal(t, schemas.Unavailable, requireCodedError(t, err).Code)
}

// Every call is answered and takes effect once, although owners end all the time.
func TestRelay_NoCallIsLostOrDoneTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const senders, sends, owners = 4, 50, 20
	var work sync.WaitGroup
	for i := range senders {
		c := w.process()
		work.Go(func() {
			for n := range sends {
				c.send(fmt.Sprintf("Test %d of %d", n, i))
			}
		})
	}
	for range owners { // at least some of them get the store
		p := w.process()
		p.call("dev", "list_agents", `{}`)
		require.NoError(t, p.Close())
	}
	work.Wait()
	last := w.process()
	require.True(t, last.call("", "audit_verify", `{}`).OK)
	claimed := map[schemas.ID]bool{}
	for range senders * sends {
		claimed[last.claim()] = true
	}
	require.Len(t, claimed, senders*sends)
	require.True(t, last.call("qa", "claim_handoff", `{}`).Empty)
}

func TestRelay_WaitingCallMovesToNextOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second, third := w.process(), w.process(), w.process()
	first.send("Something to know that the store is open")
	first.claim()
	claimed := make(chan schemas.ID)
	go func() { claimed <- second.call("ops", "claim_handoff", `{"wait_seconds": 50}`).HandoffID }()
	require.NoError(t, first.Close())
	id := third.call("dev", "send_handoff", `{"to": "ops", "task": "Deploy it"}`).HandoffID
	require.Equal(t, id, <-claimed)
}

func TestRelay_ChangesContinueAtNextOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second, third := w.process(), w.process(), w.process()
	first.send("1")
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan uint64)
	var following sync.WaitGroup
	following.Go(func() {
		for c, err := range second.Changes(ctx, 0) {
			if err != nil {
				return
			}
			seen <- c.N
		}
	})
	require.EqualValues(t, 1, <-seen)
	require.NoError(t, first.Close())
	third.send("2")
	third.send("3")
	require.EqualValues(t, 2, <-seen)
	require.EqualValues(t, 3, <-seen)
	stop()
	following.Wait()
}

// startConnectedPair starts two processes. Agent qa connects over the second one and claims a handoff.
func startConnectedPair(w world) (first, second process) {
	w.t.Helper()
	first, second = w.process(), w.process()
	first.send("Test it")
	second.call("qa", "connection_open", `{"conn": "conn-qa"}`)
	second.claim()
	return first, second
}

func TestConnection_EndsWithItsProcess(t *testing.T) {
	t.Parallel()
	first, second := startConnectedPair(newWorld(t))
	require.True(t, first.isLive("qa"))
	require.NoError(t, second.Close())
	require.Eventually(t, func() bool { return !first.isLive("qa") }, time.Minute, time.Millisecond)
}

func TestConnection_IsAnnouncedToNextOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := startConnectedPair(w)
	third := w.process()
	third.call("ops", "connection_open", `{"conn": "conn-ops"}`)
	third.call("ops", "claim_handoff", `{}`)
	require.NoError(t, first.Close())
	require.Eventually(t, func() bool { return third.isLive("qa") && second.isLive("ops") }, time.Minute, time.Millisecond)
	second.call("qa", "connection_close", `{"conn": "conn-qa"}`)
	require.False(t, third.isLive("qa"))
}

// The owner sees the end of the first request before or after the second one.
func TestConnection_StaysOpenWhenHeldAgain(t *testing.T) {
	t.Parallel()
	first, second := startConnectedPair(newWorld(t))
	for range 50 {
		second.LoseRoute()
		second.call("", "list_agents", `{}`)
		require.True(t, first.isLive("qa"))
	}
	for range 50 {
		require.True(t, first.isLive("qa"))
	}
}

func TestConnection_IsForgottenAfterRefusal(t *testing.T) {
	t.Parallel()
	first, second := startConnectedPair(newWorld(t))
	_, err := second.try(t.Context(), "qa", "connection_open", `{"conn": "conn-qa", "client": "human"}`)
	require.NoError(t, err, "it has a name")
	_, err = second.try(t.Context(), "", "connection_open", `{"conn": "conn-other", "client": "human"}`)
	require.Equal(t, schemas.Invalid, requireCodedError(t, err).Code)
	require.NoError(t, second.Close())
	require.Eventually(t, func() bool { return !first.isLive("qa") }, time.Minute, time.Millisecond)
}

func (p process) isLive(agent schemas.Agent) bool {
	p.t.Helper()
	for _, c := range p.call("", "list_agents", `{}`).Agents {
		if c.Name == agent {
			return c.Live
		}
	}
	return false
}

func TestRelay_OnlyFirstProcessOpensStoreAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alone := make(chan bool, 3)
	c := w.config()
	c.Open = func(ctx context.Context, a bool) (relay.Store, error) {
		alone <- a
		return w.openStore(ctx, a)
	}
	first := w.start(c)
	first.send("Test it")
	require.True(t, <-alone)
	second, third := w.start(c), w.start(c)
	second.claim()
	require.NoError(t, first.Close())
	second.send("More")
	require.False(t, <-alone)
	require.NoError(t, second.Close())
	third.send("And more")
	require.True(t, <-alone)
}

func TestRelay_CommandReleasesStoreWhenClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	command := w.command()
	command.send("Test it")
	server := w.process()
	require.EqualValues(t, 1, server.claim())
	require.NoError(t, command.Close())
	require.EqualValues(t, 2, server.send("More"))
}

func TestRelay_CommandYieldsStoreToServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	command := w.command()
	command.send("Test it")
	server := w.process()
	require.EqualValues(t, 1, server.claim())
	n, ok := relay.ReadNote(w.dir)
	require.True(t, ok && n.Stays)
	require.EqualValues(t, 2, command.send("More"))
}

func TestLockWorkspace_FailsWhileProcessUsesWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	idle := w.process()
	_, err := relay.LockWorkspace(w.dir)
	require.ErrorIs(t, err, relay.ErrInUse, "it has not called yet")
	idle.send("Test it")
	_, err = relay.LockWorkspace(w.dir)
	require.ErrorIs(t, err, relay.ErrInUse)
	require.NoError(t, idle.Close())
	release, err := relay.LockWorkspace(w.dir)
	require.NoError(t, err)
	_, err = relay.LockWorkspace(w.dir)
	require.ErrorIs(t, err, relay.ErrInUse)
	require.NoError(t, release())
}

func TestRelay_RefusesCallAfterClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.process(), w.process()
	first.send("Test it")
	second.claim()
	require.NoError(t, second.Close())
	_, err := second.try(t.Context(), "qa", "list_agents", `{}`)
	require.Equal(t, schemas.Unavailable, requireCodedError(t, err).Code)
}

func TestRelay_AnotherProcessOpensStoreAfterFailure(t *testing.T) {
	t.Parallel()
	for name, stays := range map[string]bool{"command": false, "server": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.config()
			c.Stays = stays
			c.Open = func(context.Context, bool) (relay.Store, error) { return nil, errBroken }
			broken := w.start(c)
			_, err := broken.try(t.Context(), "dev", "list_agents", `{}`)
			require.Equal(t, errBroken, requireCodedError(t, err))
			require.Zero(t, w.owner())

			require.EqualValues(t, 1, w.process().send("Test it"), "another may open it")
			require.EqualValues(t, 1, broken.claim(), "and serve the first")
		})
	}
}

// waitForOwnerVersion waits until a program of a version owns the store.
func (w world) waitForOwnerVersion(version string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		n, ok := relay.ReadNote(w.dir)
		return ok && n.Version == version
	}, time.Minute, time.Millisecond)
}

func TestRelay_NewerProgramTakesStoreOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	versions := []string{"v1.2.0", "v1.2.0", "v1.10.0"}
	var all []process
	for _, v := range versions {
		c := w.config()
		c.Version = v
		p := w.start(c)
		p.send("from " + v)
		all = append(all, p)
	}
	w.waitForOwnerVersion("v1.10.0")
	for i, p := range all {
		require.EqualValues(t, i+1, p.claim())
	}
	require.NoError(t, all[2].Close())
	require.EqualValues(t, 4, all[0].send("and back"))
}

// An owner listens before its store is open. A program that asks it to yield then does not ask again.
func TestRelay_OpeningOwnerYieldsToNewerProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	opening, open := make(chan struct{}), make(chan struct{})
	old := w.config()
	old.Version = "v1.9.0"
	old.Open = func(ctx context.Context, alone bool) (relay.Store, error) {
		if opening != nil {
			close(opening)
			opening = nil
			<-open
		}
		return w.openStore(ctx, alone)
	}
	older := w.start(old)
	sent := make(chan schemas.ID, 1)
	began := opening
	go func() { sent <- older.send("of the older") }()
	<-began
	c := w.config()
	c.Version = "v1.10.0"
	newer := w.start(c)
	claimed := make(chan schemas.ID, 1)
	go func() { claimed <- newer.send("of the newer") }()
	time.AfterFunc(50*time.Millisecond, func() { close(open) }) // it was asked by then; if not, it is asked later
	require.NotEqual(t, <-sent, <-claimed)
	w.waitForOwnerVersion("v1.10.0")
}
