// Package programtest runs programs as processes in tests. A [Builder] builds the programs before the tests. After the
// tests it finds processes that they left running. These tests are proofs: see package sandbox.
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

// Builder builds programs into a directory. Use [New].
type Builder struct {
	dir   string
	extra []Source
}

// Source is an additional program to build: another version of handoff, or another program.
type Source struct {
	Name    string // of the file
	Package string // empty: handoff
	Version string // empty: none
}

const handoff = "handoff"

// New returns a builder that builds handoff as a release does, and the additional programs.
func New(extra ...Source) *Builder { return &Builder{extra: extra} }

// Program returns the path of handoff. The program was built from this source, unless HANDOFF_PROGRAM names another
// file. If proofs are off, Program skips the test.
func (w *Builder) Program(t testing.TB) string {
	t.Helper()
	return cmp.Or(os.Getenv("HANDOFF_PROGRAM"), w.Path(t, handoff))
}

// Path returns the path of the program that was built from the source called name. If proofs are off, Path skips the
// test.
func (w *Builder) Path(t testing.TB, name string) string {
	t.Helper()
	sandbox.SkipUnlessProofs(t)
	return filepath.Join(w.dir, name)
}

// Run builds the programs, runs the tests of a package in a sandbox, and removes the programs. If the tests left
// processes behind, the status is 1. If proofs are off, Run builds nothing.
func (w *Builder) Run(m *testing.M) (status int) {
	return sandbox.New(testsWithPrograms{w, m}).Run()
}

// RunProofs is Run for a package in which all tests are proofs. If proofs are off, it runs no test and says so.
func (w *Builder) RunProofs(m *testing.M) (status int) {
	if sandbox.SkipPackageUnlessProofs() {
		return 0
	}
	return w.Run(m)
}

// testsWithPrograms holds tests and the builder of their programs.
type testsWithPrograms struct {
	*Builder
	tests *testing.M
}

func (w testsWithPrograms) Run() (status int) {
	if sandbox.ProofsEnabled() {
		if err := w.build(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	status = w.tests.Run()
	if left := w.cleanUp(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes were left behind:", left)
		return 1
	}
	return status
}

// build builds all programs. It does not build the program that HANDOFF_PROGRAM names. The current directory must be a
// package directory three levels below the module.
func (w *Builder) build() (err error) {
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

func (w *Builder) compile(source Source) error {
	link := "-s -w -X main.version=" + source.Version // as a release is
	source.Package = cmp.Or(source.Package, "handoff/cmd/handoff")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", link, "-o", filepath.Join(w.dir, source.Name), source.Package)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// openSources opens the directories of the module, so that the go command repeats a test after a change of the source.
// The go command otherwise reuses the result of a test if no file changed that the test opened.
func openSources() error {
	return filepath.WalkDir(filepath.Join("..", "..", ".."), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		return err
	})
}

// cleanUp removes the directory with the programs. It kills the processes that still run one of these programs, and
// returns the ids of these processes. On a system without /proc it finds no processes.
func (w *Builder) cleanUp() (left []int) {
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

// ProofSize returns the number of rounds or the duration of a proof. The environment variable called name sets this
// size. Without the variable, the size is the parameter short for tests with -short, and the parameter otherwise for
// other tests.
func ProofSize[T any](t testing.TB, name string, otherwise, short T, parse func(string) (T, error)) T {
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
