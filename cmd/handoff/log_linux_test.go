// The race detector takes memory of its own: the limit is for the normal program.

//go:build !race

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// A log of 100 MB is read in 50 MB of memory. Half of the log is one long line, and the other half is short lines.
func TestFromLog_NeedsLittleMemory(t *testing.T) {
	const half, most = 50 << 20, 50 << 20
	cmd := exec.CommandContext(t.Context(), commandtest.Program, "capture", "--from-log", "-", "--json")
	cmd.Env = commandtest.NewHome(t).Environ()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	log, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	payload := fmt.Sprintf(`{"detail":%q,"summary":"found","version":1}`, strings.Repeat("d", 65536))
	written := 0
	for _, part := range []string{strings.Repeat("a line of the log\n", 1000), strings.Repeat("x", 20_000)} {
		for range half/len(part) + 1 {
			n, err := io.WriteString(log, part)
			require.NoError(t, err)
			written += n
		}
		_, err := io.WriteString(log, "\n---KELOS_HANDOFF_START---\n"+payload+"\n---KELOS_HANDOFF_END---\n")
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, written, 2*half)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)) // it waits for more
	require.NoError(t, err)
	peak, err := strconv.Atoi(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))[1])
	require.NoError(t, err)
	t.Logf("%d MB of a log in %d MB of memory", written>>20, peak>>10)
	require.Less(t, peak<<10, most)
	require.NoError(t, log.Close())
	require.NoError(t, cmd.Wait())
	require.JSONEq(t, payload, out.String())
}
