//go:build unix

package setup_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/setup"
)

// meanwhile writes a file, as another author, after setup has kept the receipt of the next change to it. Setup has then
// read the clock as often as asked says.
func (w *world) meanwhile(path, text string, asked int) {
	now, times := w.Now, 0
	w.Now = func() time.Time {
		if times++; times == asked {
			w.write(path, text, 0o600)
		}
		return now()
	}
}

func TestApply_FailedLeavesNothing(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	change := of(t, w.PlanSetup(cursor, w.desired), path)
	w.meanwhile(path, `{"theirs": 1}`, 2)
	backup, err := w.Apply(change)
	require.ErrorContains(t, err, "meanwhile")
	require.Empty(t, backup)
	require.Equal(t, []string{filepath.Base(path)}, beside(t, path))
	require.Empty(t, w.receipts())
}

// The receipt of an earlier setup tells how to restore the file. The receipt of a failed one would not.
func TestApply_FailedKeepsOldReceipt(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	w.apply(cursor)
	ours := w.read(path)
	w.desired.Server.Command = []string{"/opt/handoff", "mcp"}
	change := of(t, w.PlanSetup(cursor, w.desired), path)
	w.meanwhile(path, ours+"\n", 2)
	_, err := w.Apply(change)
	require.ErrorContains(t, err, "meanwhile")
	w.write(path, ours, 0o600)
	require.True(t, of(t, w.PlanUndo(cursor, w.desired), path).Exact)
	w.revert(cursor)
	w.requireText(mine, path)
	require.Len(t, beside(t, path), 1)
	require.Empty(t, w.receipts())
}

// Setup may be able to read the receipt later.
func TestApply_KeepsUnreadableReceipt(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	w.apply(cursor)
	ours := w.read(path)
	receipts, err := filepath.Glob(filepath.Join(w.Dir, "*.json"))
	require.NoError(t, err)
	require.Len(t, receipts, 1)
	aside := filepath.Join(t.TempDir(), "receipt")
	require.NoError(t, os.Rename(receipts[0], aside))
	require.NoError(t, os.Mkdir(receipts[0], 0o700))
	w.desired.Server.Command = []string{"/opt/handoff", "mcp"}
	_, err = w.Apply(of(t, w.PlanSetup(cursor, w.desired), path))
	require.ErrorContains(t, err, "read the receipt")
	w.requireText(ours, path)
	require.DirExists(t, receipts[0])
	require.NoError(t, os.Remove(receipts[0]))
	require.NoError(t, os.Rename(aside, receipts[0]))
	w.revert(cursor)
	w.requireText(mine, path)
}

func TestApply_FailedRemovesFolders(t *testing.T) {
	w, vscode := worldWith(t, "vscode")
	path := w.servers(vscode)
	change := of(t, w.PlanSetup(vscode, w.desired), path)
	now := w.Now
	w.Now = func() time.Time { // setup is about to write the receipt
		require.NoError(t, os.Rename(w.Dir, w.Dir+"-aside"))
		require.NoError(t, os.WriteFile(w.Dir, nil, 0o600))
		return now()
	}
	_, err := w.Apply(change)
	require.ErrorContains(t, err, "keep a receipt")
	require.Empty(t, tree(t, w.desired.Machine.Home))
}

// Two setups at the same time would each keep a receipt, and only one of them would change the file.
func TestApply_RunsOneAtATime(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	var changes []setup.FileChange // all planned before any is made
	for _, program := range []string{"/opt/a/handoff", "/opt/b/handoff", "/opt/c/handoff"} {
		w.desired.Server.Command = []string{program, "mcp"}
		changes = append(changes, of(t, w.PlanSetup(cursor, w.desired), path))
	}
	results := make(chan error)
	for _, change := range changes {
		go func() {
			_, err := w.Apply(change)
			results <- err
		}()
	}
	won := 0
	for range 3 {
		if err := <-results; err == nil {
			won++
		} else {
			require.ErrorContains(t, err, "meanwhile")
		}
	}
	require.Equal(t, 1, won)
	require.True(t, of(t, w.PlanUndo(cursor, w.desired), path).Exact)
	w.revert(cursor)
	w.requireText(mine, path)
	require.Equal(t, []string{filepath.Base(path)}, beside(t, path))
}

func TestApplyUndo_FailedLeavesNoCopy(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	w.apply(cursor)
	w.write(path, w.read(path)+"\n", 0o600)
	undo := of(t, w.PlanUndo(cursor, w.desired), path)
	before := beside(t, path)
	w.meanwhile(path, `{"theirs": 1}`, 1)
	_, err := w.ApplyUndo(undo)
	require.ErrorContains(t, err, "meanwhile")
	require.Equal(t, before, beside(t, path))
}
