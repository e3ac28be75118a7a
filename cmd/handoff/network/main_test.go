//go:build unix

// Package network_test serves agents over HTTP and looks what becomes of them. Each test prints its figures, see
// go test -v.
//
//	HANDOFF_LOAD=20000     how many handoffs two hundred clients pass to each other (default 2000)
//	HANDOFF_PROGRAM=FILE   the program to try, instead of building it: with -race, or a release
//
// A workspace is in site_test.go and the server on it in server_test.go. There are two kinds of clients: those of
// the SDK, as agents have them (agent_test.go), and bare ones that say what no library would (bare_test.go).
package network_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// workshop is the directory of the program that was built.
var workshop = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "handoff-network-") })

func TestMain(m *testing.M) {
	if os.Getenv(asEmpty) != "" {
		serveNothing()
		return
	}
	code := m.Run()
	if left := leftovers(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes were left behind:", left)
		code = 1
	}
	if dir, err := workshop(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// leftovers ends the processes that still run what is in the workshop, and gives their ids.
func leftovers() (pids []int) {
	dir, err := workshop()
	if err != nil {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/exe") // where there is none, nothing can be told
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(program, dir) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// current is the program as it is released.
var current = sync.OnceValues(func() (string, error) {
	if program := os.Getenv("HANDOFF_PROGRAM"); program != "" {
		return filepath.Abs(program)
	}
	dir, err := workshop()
	if err != nil {
		return "", err
	}
	if err := openSources(); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "handoff")
	cmd := exec.Command("go", "build", "-trimpath", "-o", program, "handoff/cmd/handoff")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
})

// openSources opens the directories of the module. The go command takes a result from its cache unless something
// changed that it saw the test open, and it does not see what a compiler opens.
func openSources() error {
	return filepath.WalkDir(filepath.Join("..", "..", ".."), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		return err
	})
}

// many reads from the environment how many of something there are. With -short it is a tenth of what it is
// otherwise.
func many(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	switch {
	case text == "" && testing.Short():
		return otherwise / 10
	case text == "":
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}
