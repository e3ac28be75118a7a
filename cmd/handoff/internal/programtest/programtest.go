// Package programtest is only for tests. It builds programs before tests that run them as processes, and finds
// processes that the tests left behind. These tests are proofs, see package sandbox.
package programtest

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"handoff/schemas/sandbox"
)

// Workshop is a directory of programs. Use [New].
type Workshop struct {
	dir   string
	extra []Source
}

// A Source is an additional program to build: handoff as another version, or another program.
type Source struct {
	Name    string // of the file
	Package string // empty: handoff
	Version string // empty: none
}

const handoff = "handoff"

// New returns a workshop that builds handoff as it is released, and the extra programs.
func New(extra ...Source) *Workshop { return &Workshop{extra: extra} }

// Program returns the path of handoff, built from this source, or the file that HANDOFF_PROGRAM names. It skips the
// test unless proofs are on.
func (w *Workshop) Program(t testing.TB) string {
	t.Helper()
	return cmp.Or(os.Getenv("HANDOFF_PROGRAM"), w.Built(t, handoff))
}

// Built returns the path of a program by the name of its source. It skips the test like [Workshop.Program].
func (w *Workshop) Built(t testing.TB, name string) string {
	t.Helper()
	sandbox.Proof(t)
	return filepath.Join(w.dir, name)
}

// Run builds the missing programs, runs the tests of a package in a sandbox, and removes the programs. The status is
// also 1 if the tests left processes behind. Without proofs it builds nothing.
func (w *Workshop) Run(m *testing.M) (status int) {
	return sandbox.New(working{w, m}).Run()
}

// RunProofs is Run for a package whose tests are all proofs. If proofs are off it runs nothing and says so.
func (w *Workshop) RunProofs(m *testing.M) (status int) {
	if sandbox.LeaveOut() {
		return 0
	}
	return w.Run(m)
}

// working holds tests and the workshop that they use.
type working struct {
	*Workshop
	tests *testing.M
}

func (w working) Run() (status int) {
	if sandbox.Proofs() {
		if err := w.build(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	status = w.tests.Run()
	if left := w.close(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes were left behind:", left)
		return 1
	}
	return status
}

// build builds all programs, but not one that HANDOFF_PROGRAM names. It must run in a package directory that is three
// levels below the module.
func (w *Workshop) build() (err error) {
	if w.dir, err = os.MkdirTemp("", "workshop"); err != nil {
		return err
	}
	if err := openSources(); err != nil {
		return err
	}
	all := w.extra
	if os.Getenv("HANDOFF_PROGRAM") == "" {
		all = append(all, Source{Name: handoff})
	}
	for _, source := range all {
		fmt.Fprintln(os.Stderr, "building", source.Name, "before the tests; HANDOFF_PROGRAM names a program that is there")
		if err := w.compile(source); err != nil {
			return err
		}
	}
	return nil
}

func (w *Workshop) compile(source Source) error {
	link := "-s -w -X main.version=" + source.Version // as a release is
	source.Package = cmp.Or(source.Package, "handoff/cmd/handoff")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", link, "-o", filepath.Join(w.dir, source.Name), source.Package)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
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

// close removes the directory. It kills the processes that still run one of its programs, and returns their ids.
// Without /proc it finds none.
func (w *Workshop) close() (left []int) {
	if w.dir == "" {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(program, w.dir) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			left = append(left, pid)
		}
	}
	_ = os.RemoveAll(w.dir)
	return left
}

// Knob returns the size of a proof: how often it runs, or how long. The environment variable decides; without it the
// value is otherwise, or short with -short.
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
