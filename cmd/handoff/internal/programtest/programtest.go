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

// Builder builds programs into a directory. Use [New].
type Builder struct {
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

// New returns a builder that builds handoff as it is released, and the extra programs.
func New(extra ...Source) *Builder { return &Builder{extra: extra} }

// Program returns the path of handoff, built from this source, or the file that HANDOFF_PROGRAM names. It skips the
// test unless proofs are on.
func (w *Builder) Program(t testing.TB) string {
	t.Helper()
	return cmp.Or(os.Getenv("HANDOFF_PROGRAM"), w.Path(t, handoff))
}

// Path returns the path of a program by the name of its source. It skips the test like [Builder.Program].
func (w *Builder) Path(t testing.TB, name string) string {
	t.Helper()
	sandbox.Proof(t)
	return filepath.Join(w.dir, name)
}

// Run builds the missing programs, runs the tests of a package in a sandbox, and removes the programs. The status is
// also 1 if the tests left processes behind. Without proofs it builds nothing.
func (w *Builder) Run(m *testing.M) (status int) {
	return sandbox.New(builtTests{w, m}).Run()
}

// RunProofs is Run for a package whose tests are all proofs. If proofs are off it runs nothing and says so.
func (w *Builder) RunProofs(m *testing.M) (status int) {
	if sandbox.LeaveOut() {
		return 0
	}
	return w.Run(m)
}

// builtTests holds tests and the builder of their programs.
type builtTests struct {
	*Builder
	tests *testing.M
}

func (w builtTests) Run() (status int) {
	if sandbox.Proofs() {
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

// build builds all programs, but not one that HANDOFF_PROGRAM names. It must run in a package directory that is three
// levels below the module.
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

// Setting returns the size of a proof: how often it runs, or how long. The environment variable decides; without it the
// value is otherwise, or short with -short.
func Setting[T any](t testing.TB, name string, otherwise, short T, parse func(string) (T, error)) T {
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
