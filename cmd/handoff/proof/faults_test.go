//go:build unix

package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/sandbox"
	"handoff/store"
)

// requireRefused checks that reading, writing and serving all fail with a status, say so, and change nothing.
func requireRefused(t *testing.T, state string, prepare func(*exec.Cmd), code int, says ...string) {
	t.Helper()
	before := snapshot(t, state)
	for _, args := range [][]string{
		{"list", "--all"}, {"send", "qa", "Test it"}, {"call", "list_agents"}, {"audit", "verify"}, {"list", "--all", "--json"},
	} {
		have := commandtest.RunProcess(t, state, prepare, args...)
		require.Equal(t, code, have.Code, "%v: %s", args, have.Errs)
		require.True(t, strings.HasPrefix(have.Errs, "handoff: "), "%v: %s", args, have.Errs)
		require.GreaterOrEqual(t, strings.Count(have.Errs, "\n"), 2, "a hint on its own line: %s", have.Errs)
		for _, text := range says {
			require.Contains(t, have.Errs, text, "%v", args)
		}
		if args[len(args)-1] == "--json" {
			var told struct{ Code, Message, Hint string }
			require.NoError(t, json.Unmarshal([]byte(have.Out), &told), "%s", have.Out)
			require.NotEmpty(t, told.Code)
			require.NotEmpty(t, told.Hint)
		} else {
			require.Empty(t, have.Out, "%v", args)
		}
		requireUnchanged(t, before, state)
	}
	requireServerSays(t, state, prepare, says)
	requireUnchanged(t, before, state)
}

// requireServerSays checks that a server with a fault keeps running and returns the reason to each call, because some
// clients would not start it again.
func requireServerSays(t *testing.T, state string, prepare func(*exec.Cmd), says []string) {
	t.Helper()
	have := commandtest.RunProcess(t, state, func(cmd *exec.Cmd) {
		if prepare != nil {
			prepare(cmd)
		}
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_agents","arguments":{}}}
`)
	}, "mcp")
	if strings.HasPrefix(have.Errs, "handoff: ") { // there is not even a place for a store
		require.NotZero(t, have.Code)
		return
	}
	require.Zero(t, have.Code, have.Errs)
	require.Contains(t, have.Out, `"isError":true`)
	require.NotContains(t, have.Out, "goroutine ")
	for _, text := range says {
		require.Contains(t, have.Out, text)
	}
}

// requireUnchanged names different files without showing them, because they are large.
func requireUnchanged(t *testing.T, before map[string]string, state string) {
	t.Helper()
	after := snapshot(t, state)
	require.Equal(t, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	for path, content := range before {
		if content != after[path] {
			require.Fail(t, "a file was changed", path)
		}
	}
}

// snapshot returns all files below a directory with their content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() || slices.Contains([]string{"handoff.lock", "handoff.here"}, info.Name()) { // these stay, and hold nothing
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	}))
	return files
}

// keptState is a state directory whose workspace w holds some handoffs.
func keptState(t *testing.T) (state, file string) {
	t.Helper()
	d := commandtest.NewDesk(t)
	for i := range 20 {
		d.Must("dev", "send", "qa", fmt.Sprintf("Test %d", i), "--detail", strings.Repeat("x", 5000))
	}
	return d.State, d.File()
}

func TestFaults_UnwritableWorkspaceIsRefused(t *testing.T) {
	t.Run("below a file", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("mine"), 0o600))
		requireRefused(t, filepath.Join(dir, "file"), nil, 7, "has no place for its files", "XDG_STATE_HOME")
	})
	t.Run("directory of others", func(t *testing.T) {
		state, as := withoutRights(t, t.TempDir())
		have := commandtest.RunProcess(t, state, as, "send", "qa", "Test it") // looking makes no workspace
		require.Equal(t, 7, have.Code, have.Errs)
		for _, said := range []string{"has no place for its files", "Make ", "XDG_STATE_HOME"} {
			require.Contains(t, have.Errs, said)
		}
	})
	t.Run("file of others", func(t *testing.T) {
		state, file := keptState(t)
		require.NoError(t, os.Chmod(file, 0o444))
		require.NoError(t, os.Chmod(filepath.Dir(file), 0o755))
		require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(file)), 0o755))
		state, as := withoutRights(t, state)
		requireRefused(t, state, as, 7, "has no place for its files", "Make ")
	})
}

// A server that ran with sudo in the home of another user leaves an owner whose files that user cannot read.
func TestFaults_OwnerOfOtherUserIsNamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	dir := filepath.Join(p.State, "handoff", "w")
	state, as := withoutRights(t, p.State)
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	where := commandtest.RunProcess(t, state, as, "where")
	require.Contains(t, where.Errs, "has no place for its files") // the directory is root's, too
	require.NotContains(t, where.Out, "does not exist yet")
	for _, name := range []string{"", "handoff.db", "handoff.here", "handoff.lock", "handoff.sock"} {
		require.NoError(t, os.Chown(filepath.Join(dir, name), 65534, 65534))
	}
	where = commandtest.RunProcess(t, state, as, "where")
	require.Contains(t, where.Out, "owner: a process of another user")
	require.Contains(t, where.Errs, "a process of another user has workspace w open")
	s.CloseInput()
}

// withoutRights makes a directory read-only. It returns how to start a process that may not write there: for root, as
// the user nobody.
func withoutRights(t *testing.T, dir string) (state string, as func(*exec.Cmd)) {
	t.Helper()
	require.NoError(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { require.NoError(t, os.Chmod(dir, 0o700)) })
	if os.Getuid() != 0 {
		return dir, nil
	}
	for up := filepath.Dir(dir); up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		require.NoError(t, os.Chmod(up, 0o755))
	}
	binary := filepath.Join(publicDir(t), commandtest.Program)
	self, err := os.Executable()
	require.NoError(t, err)
	content, err := os.ReadFile(self)
	require.NoError(t, err)
	syscall.ForkLock.RLock() // a process that forks now would keep the file open for writing, so that none could start it
	err = os.WriteFile(binary, content, 0o755)
	syscall.ForkLock.RUnlock()
	require.NoError(t, err)
	return dir, func(cmd *exec.Cmd) {
		cmd.Path, cmd.Err = binary, nil
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

// publicDir is a new directory that everybody may enter.
func publicDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for up := dir; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		require.NoError(t, os.Chmod(up, 0o755))
	}
	return dir
}

func TestFaults_ForeignFilesStayUntouched(t *testing.T) {
	for name, content := range map[string]string{
		"text":            "a text file with some words in it",
		"another program": "SQLite format 3\x00" + strings.Repeat("\x00", 8192),
		"noise":           strings.Repeat("\xde\xad\xbe\xef", 4096),
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			writeStore(t, state, []byte(content))
			requireRefused(t, state, nil, 1, "not a store of handoff", store.DamageRemedy)
		})
	}
	t.Run("another program on bbolt", func(t *testing.T) {
		state := t.TempDir()
		path := writeStore(t, state, nil)
		inBolt(t, path, func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("theirs"))
			return err
		})
		requireRefused(t, state, nil, 1, "not a store of handoff", store.DamageRemedy)
	})
	t.Run("a newer version", func(t *testing.T) {
		state, file := keptState(t)
		inBolt(t, file, func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("sys")).Put([]byte("format"), []byte("handoff 2"))
		})
		requireRefused(t, state, nil, 7, "newer version", "Install the newest handoff. Nothing was changed.")
	})
}

func writeStore(t *testing.T, state string, content []byte) (path string) {
	t.Helper()
	path = filepath.Join(state, "handoff", "w", "handoff.db")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	if content != nil {
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	return path
}

func inBolt(t *testing.T, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(fn))
	require.NoError(t, db.Close())
}

func TestFaults_DamagedFileIsRefused(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"both heads are gone":           func(b []byte) []byte { clear(b[:8192]); return b },
		"cut off":                       func(b []byte) []byte { return b[:8192+100] },
		"cut off within its first page": func(b []byte) []byte { return b[:1000] },
	} {
		t.Run(name, func(t *testing.T) {
			state, file := keptState(t)
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, damage(content), 0o600))
			requireRefused(t, state, nil, 1, store.DamageRemedy)
		})
	}
}

// Pages in the middle are read on demand. Whichever page is damaged, a command ends with an answer or an error, never
// with a panic, and leaves the file unchanged for a repair.
func TestFaults_DamagedPagesCauseNoPanic(t *testing.T) {
	state, file := keptState(t)
	sound, err := os.ReadFile(file)
	require.NoError(t, err)
	used := usedPages(t, file)
	for page := 2; page < used; page += max(used/sandbox.Repetitions(20), 1) {
		content := bytes.Clone(sound)
		for i := range 4096 {
			content[page*4096+i] = byte(i * 31)
		}
		require.NoError(t, os.WriteFile(file, content, 0o600))
		have := commandtest.RunProcess(t, state, nil, "show", "3", "--full")
		require.Contains(t, []int{0, 1}, have.Code, "page %d: %s", page, have.Errs)
		require.NotContains(t, have.Errs, "goroutine ", "page %d", page)
		if have.Code != 0 {
			require.True(t, strings.HasPrefix(have.Errs, "handoff: ") || strings.Contains(have.Errs, "\nhandoff: "), "page %d: %s", page, have.Errs)
		}
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, bytes.Equal(content, after), "page %d: the file was changed", page)
	}
}

// usedPages is how many pages of a file were written. It is made longer than that.
func usedPages(t *testing.T, file string) int {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return len(bytes.TrimRight(content, "\x00"))/4096 + 1
}

// limited runs a process that may not write past so many pages of a file.
func limited(pages int) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		// The signal that comes with the limit is ignored, as a full disk sends none.
		script := fmt.Sprintf(`trap "" XFSZ; ulimit -f %d; exec "$@"`, pages*4096/512)
		cmd.Args = append([]string{"sh", "-c", script, "sh", commandtest.Program}, cmd.Args[1:]...)
		cmd.Path, cmd.Err = "/bin/sh", nil
	}
}

func TestFullDisk_ChangesNothing(t *testing.T) {
	state, file := keptState(t)
	before := rowsIn(t, file)
	full := limited(usedPages(t, file) + 16)

	large := filepath.Join(t.TempDir(), "large.json")
	require.NoError(t, os.WriteFile(large, []byte(`{"to": "qa", "task": "x", "context": {"original_request": "`+strings.Repeat("x", 200<<10)+`"}}`), 0o600))
	have := commandtest.RunProcess(t, state, full, "send", "--file", large)
	require.Equal(t, 7, have.Code, "%s%s", have.Out, have.Errs)
	require.Contains(t, have.Errs, "the disk is full")
	require.Contains(t, have.Errs, "Free space")
	require.Equal(t, string(before), string(rowsIn(t, file)), "it changed something")

	require.Zero(t, commandtest.RunProcess(t, state, full, "list", "--all").Code, "reading goes on")
	require.Zero(t, commandtest.RunProcess(t, state, nil, "send", "--file", large).Code, "and writing when there is space")
	require.Contains(t, commandtest.RunProcess(t, state, nil, "audit", "verify").Out, "21 handoffs")
}

func TestFullDisk_IsReportedOverStdio(t *testing.T) {
	state, file := keptState(t)
	large := fmt.Sprintf(`{"to": "qa", "task": "x", "context": {"original_request": %q}}`, strings.Repeat("x", 200<<10))
	input := commandtest.Hello + commandtest.ToolCall(1, "send_handoff", large)
	have := commandtest.RunProcess(t, state, func(cmd *exec.Cmd) {
		limited(usedPages(t, file) + 16)(cmd)
		cmd.Stdin = strings.NewReader(input)
	}, "mcp")
	require.Contains(t, have.Out, `the disk is full`)
	require.Contains(t, have.Out, `\"code\":\"unavailable\"`)
	require.Contains(t, have.Out, `"isError":true`)
	require.Contains(t, commandtest.RunProcess(t, state, nil, "audit", "verify").Out, "20 handoffs")
}

func TestFullDisk_NewWorkspaceIsError(t *testing.T) {
	have := commandtest.RunProcess(t, t.TempDir(), limited(1), "send", "qa", "Test it")
	require.Equal(t, 7, have.Code, "%s", have.Errs)
	require.Contains(t, have.Errs, "Free space on the disk of ")
}
