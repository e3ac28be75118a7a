package mcp_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas/sandbox"
)

// childVariable makes this test binary a server on its standard streams.
const childVariable = "HANDOFF_MCP_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(sandbox.New(m).Run())
	}
	signal.Ignore(syscall.SIGPIPE)
	if err := mcp.New(config(newStandIn())).ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

func startChild(t *testing.T) (*exec.Cmd, io.WriteCloser, io.ReadCloser) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, in, out
}

func TestProcess_AnswersAllRequestsBeforeExit(t *testing.T) {
	for range 20 {
		cmd, in, out := startChild(t)
		for id := range 50 {
			_, err := io.WriteString(in, callRequest(id, "send_handoff", `{}`)+"\n")
			require.NoError(t, err)
		}
		require.NoError(t, in.Close())
		answers := 0
		for scan := bufio.NewScanner(out); scan.Scan(); {
			answers++
		}
		require.NoError(t, cmd.Wait())
		require.Equal(t, 50, answers)
	}
}

func TestProcess_ExitsWithoutErrorWhenClientLeft(t *testing.T) {
	cmd, in, out := startChild(t)
	require.NoError(t, out.Close())
	_, err := io.WriteString(in, callRequest(1, "send_handoff", `{}`)+"\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
}
