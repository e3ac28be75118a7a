//go:build unix

package setup_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const somebody, theirGroup = 12345, 54321

// asRoot skips a test that needs to change owners of files.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
}

// as runs the rest of a test as another user, in that user's group only.
func as(t *testing.T, user int) {
	t.Helper()
	groups, err := syscall.Getgroups()
	require.NoError(t, err)
	require.NoError(t, syscall.Setgroups(nil))
	require.NoError(t, syscall.Setegid(user))
	require.NoError(t, syscall.Seteuid(user))
	t.Cleanup(func() {
		require.NoError(t, syscall.Seteuid(0))
		require.NoError(t, syscall.Setegid(0))
		require.NoError(t, syscall.Setgroups(groups))
	})
}

func requireOwner(t *testing.T, path string, user, group int) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	of := info.Sys().(*syscall.Stat_t)
	require.Equal(t, []int{user, group}, []int{int(of.Uid), int(of.Gid)})
}

func TestApply_KeepsGroup(t *testing.T) {
	asRoot(t)
	w, claude := worldWith(t, "claude-code")
	path := w.servers(claude)
	w.write(path, mine, 0o640)
	require.NoError(t, os.Chown(path, 0, theirGroup))
	w.apply(claude)
	requireOwner(t, path, 0, theirGroup)
	requireMode(t, path, 0o640)
	w.revert(claude)
	requireOwner(t, path, 0, theirGroup)
}

func TestPlanSetup_LeavesFileOfOtherUserAlone(t *testing.T) {
	asRoot(t)
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o666)
	require.NoError(t, os.Chown(path, somebody, theirGroup))
	require.ErrorContains(t, of(t, w.PlanSetup(cursor, w.desired), path).Err, "it belongs to another user")
	require.ErrorContains(t, of(t, w.PlanUndo(cursor, w.desired), path).Err, "it belongs to another user")
}

// A user who is not in the group of a file cannot give it to a new one. Others could read the new file.
func TestApply_FailsIfGroupCannotBeKept(t *testing.T) {
	asRoot(t)
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o640)
	require.NoError(t, os.Chown(path, somebody, theirGroup))
	w.open(t)
	as(t, somebody)
	_, err := w.Apply(of(t, w.PlanSetup(cursor, w.desired), path))
	require.ErrorContains(t, err, "keep its group")
	requireOwner(t, path, somebody, theirGroup)
	w.requireText(mine, path)
	require.Len(t, beside(t, path), 1)
}

// open lets every user create files in the directories of a world, and reach them.
func (w *world) open(t *testing.T) {
	t.Helper()
	home := w.desired.Machine.Home
	require.NoError(t, os.MkdirAll(w.Dir, 0o700))
	for _, dir := range []string{filepath.Dir(filepath.Dir(home)), filepath.Dir(home), home, w.Dir, filepath.Dir(w.servers(known(t, "cursor")))} {
		require.NoError(t, os.Chmod(dir, 0o777))
	}
}
