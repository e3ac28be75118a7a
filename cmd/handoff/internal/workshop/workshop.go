// Package workshop is only for tests: it builds the program for tests that run it in processes of their own, and finds
// the processes that they left behind.
package workshop

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

	"handoff/internal/sandbox"
)

// Workshop is a directory of programs. Use [New].
type Workshop struct {
	dir  func() (string, error)
	mine func() (string, error)
}

// New returns a workshop. Its directory is made when it is needed; Close removes it.
func New(name string) *Workshop {
	w := &Workshop{dir: sync.OnceValues(func() (string, error) { return os.MkdirTemp("", name+"-") })}
	w.mine = sync.OnceValues(func() (string, error) {
		if program := os.Getenv("HANDOFF_PROGRAM"); program != "" {
			return filepath.Abs(program)
		}
		return w.Build("")
	})
	return w
}

// Program returns the path of the program, built from this source as it is released, or the file that HANDOFF_PROGRAM
// names. It is built once.
func (w *Workshop) Program() (string, error) { return w.mine() }

// Build compiles the program from this source as the given version, empty for none, and returns its path. It is called
// in the directory of a package that is three levels below the module.
func (w *Workshop) Build(version string) (program string, err error) {
	dir, err := w.dir()
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
	args = append(args, "handoff/cmd/handoff")
	cmd := exec.Command("go", args...) //nolint:noctx,gosec // done before any test, with arguments of ours
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
}

// openSources opens the directories of the module. The go command takes the result of a test from its cache unless a
// file changed that the test opened, and it does not see which files the compiler opens.
func openSources() error {
	return filepath.WalkDir(filepath.Join("..", "..", ".."), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		return err
	})
}

// Run runs the tests of a package, which made the workshop, in a sandbox and closes the workshop. The status is 1 as
// well where they left processes behind.
func (w *Workshop) Run(m *testing.M) (status int) {
	return sandbox.New(working{w, m}).Run()
}

// working are tests and the workshop that they use.
type working struct {
	*Workshop
	tests *testing.M
}

func (w working) Run() (status int) {
	status = w.tests.Run()
	if left := w.Close(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes were left behind:", left)
		return 1
	}
	return status
}

// Close removes the directory. It kills the processes that still run a program of it, and returns their ids. Where
// there is no /proc it finds none.
func (w *Workshop) Close() (left []int) {
	dir, err := w.dir()
	if err != nil {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(program, dir) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			left = append(left, pid)
		}
	}
	_ = os.RemoveAll(dir)
	return left
}

// Knob reads from the environment how much a proof does: how often, or how long. Without the variable it is otherwise,
// and less with -short.
func Knob[T any](t testing.TB, name string, otherwise, short T, parse func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	switch {
	case text == "" && testing.Short():
		return short
	case text == "":
		return otherwise
	}
	n, err := parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
