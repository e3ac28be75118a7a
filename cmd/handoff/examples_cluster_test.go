//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var ofThisRun = regexp.MustCompile(`node \d|\b\d{4,5}\b`) // nodes and ports

// A cluster goes on when the owner of a workspace is killed, and leaves nothing behind.
func TestExampleCluster_PrintsAsShown(t *testing.T) {
	servers, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	require.NoError(t, err)
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	for _, program := range []string{"nginx", "curl", "setsid"} {
		if _, err := exec.LookPath(program); err != nil || len(servers) == 0 {
			t.Skip("PostgreSQL, or " + program + ", is not installed: the example of a cluster was not played")
		}
	}
	temp, err := os.MkdirTemp("", "c") //nolint:usetesting // one that the database's user reaches, with a short name
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(temp)) })
	require.NoError(t, os.Chmod(temp, 0o755))

	out := seconds.ReplaceAllString(runExample(t, "TMPDIR="+temp+" PORT="+freePorts(t, 4)+" ./cluster/play.sh --demo"), "<1 s")
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
	file := filepath.Join(examples, "cluster", "seen.txt")
	seen, err := os.ReadFile(file)
	require.NoError(t, err)
	if ofThisRun.ReplaceAllString(out, "…") != ofThisRun.ReplaceAllString(string(seen), "…") {
		generated(t, file, out)
	}
}

// freePorts gives the first of some free ports in a row.
func freePorts(t *testing.T, number int) string {
	t.Helper()
	for first := 20_000 + os.Getpid()%10_000; ; first += number {
		free := 0
		for ; free < number; free++ {
			l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(first+free))
			if err != nil {
				break
			}
			require.NoError(t, l.Close())
		}
		if free == number {
			return strconv.Itoa(first)
		}
	}
}
