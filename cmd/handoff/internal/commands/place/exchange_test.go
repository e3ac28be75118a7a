package place_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store/memory"
	"handoff/store/travel"
)

// writeExportFile writes an export with n handoffs, and returns its path.
func writeExportFile(t *testing.T, n int) (path string) {
	w := mailboxtest.New(t, mailboxtest.InBackend(memory.New()))
	for i := range n {
		_, err := w.Send(context.Background(), schemas.Caller{Agent: "dev", Via: schemas.ViaCLI}, schemas.SendIn{To: "qa", Task: fmt.Sprint("Test ", i)})
		require.NoError(t, err)
	}
	path = filepath.Join(t.TempDir(), "w.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = travel.Export(t.Context(), w.Store, schemas.ExportHeading{Workspace: "w"}, f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return path
}

// startImport starts the command import as a process that reads its standard input.
func startImport(t *testing.T, p commandtest.Home) (*exec.Cmd, io.WriteCloser) {
	cmd := exec.CommandContext(t.Context(), commandtest.Program, "import", "-", "--workspace", "w")
	cmd.Env = append(p.Environ(), "TMPDIR="+t.TempDir())
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, in
}

// A process is killed after it wrote some of the rows. All commands refuse the new workspace until it is imported
// again.
func TestImport_KilledIsRefusedUntilRepeated(t *testing.T) {
	t.Parallel()
	p, path := commandtest.NewHome(t), writeExportFile(t, 1000)
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	for halfway := false; !halfway; {
		require.NoError(t, os.RemoveAll(filepath.Join(p.State, "handoff")))
		cmd, in := startImport(t, p)
		_, err := in.Write(file)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		require.Eventually(t, func() bool {
			rows, _ := os.ReadFile(filepath.Join(p.State, "handoff", "w", "handoff.db"))
			return bytes.Contains(rows, []byte(`"title":"Test 1"`)) // records come early
		}, commandtest.Patience, time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		code, _, errs := p.Run("list")
		halfway = code == 5
		require.True(t, code == 0 || strings.Contains(errs, "workspace w is not whole"), errs)
	}
	_, _, errs := p.Run("send", "qa", "x", "--agent", "dev")
	require.Contains(t, errs, "import it again")
	p.Must("import", path)
	p.Must("export", path+"2")
	again, err := os.ReadFile(path + "2")
	require.NoError(t, err)
	_, was, _ := bytes.Cut(file, []byte("\n"))
	_, is, _ := bytes.Cut(again, []byte("\n"))
	require.True(t, bytes.Equal(was, is))
}

// An export whose reader leaves removes its temporary copy of the workspace.
func TestExport_WithoutReaderLeavesNoFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGPIPE")
	}
	p, temporary := commandtest.NewHome(t), t.TempDir()
	p.Must("import", writeExportFile(t, 500)) // more than a pipe holds
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	cmd := exec.CommandContext(t.Context(), commandtest.Program, "export", "--workspace", "w")
	cmd.Env, cmd.Stdout = append(p.Environ(), "TMPDIR="+temporary), w
	require.NoError(t, cmd.Start())
	_, err = r.Read(make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Error(t, cmd.Wait())
	require.Equal(t, 141, cmd.ProcessState.ExitCode())
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

// The process that has the workspace open writes the export, and no import disturbs it.
func TestExport_WorksOnOpenWorkspaceAndImportDoesNot(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	path := filepath.Join(p.State, "w.jsonl")
	s := p.StartServer("--agent", "reviewer")
	for range 40 {
		s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "x", "detail": "`+strings.Repeat("long ", 12000)+`"}}`)
	}
	p.Must("export", path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(2<<20), "more than one part")
	if runtime.GOOS != "windows" { // Windows has no such modes
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	requireRefused(p, "workspace w is open in another process", "import", path)
	s.CloseInput()
	requireRefused(p, "workspace w has work already", "import", path)
}
