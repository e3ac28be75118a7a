package relay_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
	"handoff/tools/relay"
)

// Changes that people and programs make to the files under a living owner.

func (w world) remove(names ...string) {
	w.t.Helper()
	for _, name := range names {
		require.NoError(w.t, os.Remove(filepath.Join(w.dir, name)))
	}
}

func skipIfOpenFilesStay(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither removes nor replaces a file that is open")
	}
	t.Parallel()
}

// An answer means that the change is stored where all processes look.
func TestRelay_ProcessesMeetInNewDirectoryAfterRemoval(t *testing.T) {
	skipIfOpenFilesStay(t)
	w := newWorld(t)
	first, guest := w.process(), w.process()
	first.send("Test it")
	guest.send("Test it too")
	require.NoError(t, os.RemoveAll(w.dir))
	require.EqualValues(t, 1, guest.send("In the new one"))
	require.EqualValues(t, 2, first.send("There as well"))
	require.EqualValues(t, 3, w.process().send("And there"))
	require.NoError(t, first.Close())
	require.NoError(t, guest.Close())
	require.EqualValues(t, 4, w.process().send("Nothing of it was cleared away"))
}

// A command does not queue: it takes the new lock while it still releases the old one.
func TestRelay_CommandContinuesInNewDirectoryAfterRemoval(t *testing.T) {
	skipIfOpenFilesStay(t)
	for range sandbox.Repetitions(20) {
		w := newWorld(t)
		first, second := w.command(), w.command()
		first.send("Test it")
		second.send("Test it too")
		require.NoError(t, os.RemoveAll(w.dir))
		require.EqualValues(t, 1, first.send("In the new one"))
		server := w.process()
		require.EqualValues(t, 2, server.send("Whoever has it makes room"))
		require.EqualValues(t, 3, second.send("And serves"))
	}
}

func TestPresenceMark_IsSetAgainInNewDirectory(t *testing.T) {
	skipIfOpenFilesStay(t)
	w := newWorld(t)
	first, second := w.process(), w.process()
	first.send("Test it")
	second.send("Test it too")
	require.NoError(t, os.RemoveAll(w.dir))
	first.send("In the new one")
	_, err := relay.LockWorkspace(w.dir)
	require.ErrorIs(t, err, relay.ErrInUse)
}

func TestOwner_OpensStoreThatReplacedItsOwn(t *testing.T) {
	skipIfOpenFilesStay(t)
	w := newWorld(t)
	store := filepath.Join(w.dir, "handoff.db")
	before := w.process()
	before.send("Test it")
	require.NoError(t, before.Close())
	backup, err := os.ReadFile(store)
	require.NoError(t, err)

	owner := w.process()
	owner.send("After the backup")
	require.NoError(t, os.WriteFile(store+".backup", backup, 0o600))
	require.NoError(t, os.Rename(store+".backup", store))
	require.EqualValues(t, 2, owner.send("In the backup"))
	require.True(t, w.process().call("", "audit_verify", `{}`).OK)
}

func TestRelay_ProcessesMeetAgainAfterLockRemoval(t *testing.T) {
	skipIfOpenFilesStay(t)
	w := newWorld(t)
	owner := w.process()
	owner.send("Test it")
	w.remove("handoff.lock")
	require.EqualValues(t, 2, w.process().send("Nothing is lost"))
	require.EqualValues(t, 3, owner.send("And nobody is alone"))
}

func TestOwner_RestoresSocketAndNote(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no sockets")
	}
	t.Parallel()
	for _, names := range [][]string{{"handoff.sock"}, {"owner.json"}, {"handoff.sock", "owner.json"}} {
		w := newWorld(t)
		owner := w.process()
		owner.send("Test it")
		w.remove(names...)
		require.EqualValues(t, 1, w.process().claim())
		require.EqualValues(t, 2, owner.send("More"))
	}
}

func TestRelay_CopyOfDirectoryIsAnotherWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.process()
	owner.send("Test it")
	copied := world{t, w.dir + "-copy"}
	require.NoError(t, os.Mkdir(copied.dir, 0o700))
	note, err := os.ReadFile(filepath.Join(w.dir, "owner.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(copied.dir, "owner.json"), note, 0o600))
	require.EqualValues(t, 1, copied.process().send("In the copy"))
	require.EqualValues(t, 2, owner.send("In the first"))
}

// The port may belong to another program now, which accepts requests and answers nothing.
func TestNote_IgnoredIfAnotherProgramHasThePort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	for name, stays := range map[string]bool{"command": false, "server": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for an answer
			w := newWorld(t)
			w.writeNote(relay.Note{PID: 1, Started: time.Now(), Address: relay.Address{Network: "tcp", Addr: l.Addr().String()}})
			c := w.config()
			c.Stays = stays
			require.EqualValues(t, 1, w.start(c).send("Test it"))
		})
	}
}
