//go:build unix

// Package together_test shows that many processes share one store.
//
// Nothing here is played: every process is the real program, built once and spoken to over standard input
// and output as MCP clients do. The tests kill it, stop it, start it at the same moment as another, and then
// ask what the clients were told and what the registry says. Each prints its figures, see go test -v; the
// benchmarks print theirs.
//
//	HANDOFF_CHAOS=10m      how long owners are killed (default 10s)
//	HANDOFF_CYCLES=200     how often four processes are started and ended (default 20)
//	HANDOFF_IDLE=60s       how long processes are left alone (default 10s)
//	HANDOFF_SEED=1         repeats a run as far as chance decides it
//	HANDOFF_PROGRAM=FILE   the program to try, instead of building it: with -race, or a release
//
// A process is in process_test.go, how one speaks to it in speech_test.go, the workspace they share in
// place_test.go. What clients saw is an act (act_test.go), and whether all acts fit together is judged in
// judge_test.go.
package together_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// workshop is the directory of the programs that were built.
var workshop = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "handoff-together-") })

func TestMain(m *testing.M) {
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

// leftovers ends the processes that still run a program of the workshop, and gives their ids.
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
	return build("")
})

// build compiles the program as a version, empty for that of this source.
func build(version string) (program string, err error) {
	dir, err := workshop()
	if err != nil {
		return "", err
	}
	if err := openSources(); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "handoff"+version)
	args := []string{"build", "-trimpath", "-o", program}
	if version != "" {
		args = append(args, "-ldflags", "-X main.version="+version)
	}
	cmd := exec.Command("go", append(args, "handoff/cmd/handoff")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
}

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

// lasting reads from the environment how long something goes on. With -short it is a fifth of what it is
// otherwise.
func lasting(t testing.TB, name string, otherwise time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(name)
	switch {
	case text == "" && testing.Short():
		return otherwise / 5
	case text == "":
		return otherwise
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, name)
	return d
}

// chance is a source of random decisions that a failed run names.
func chance(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("HANDOFF_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "HANDOFF_SEED")
		seed = n
	}
	t.Logf("HANDOFF_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 8))
}
