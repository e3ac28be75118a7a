// Package workshop builds the program for proofs that run it in processes of its own, and finds what they left
// behind. Only tests use it.
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
)

// Workshop is a directory of programs. Use [New].
type Workshop struct {
	dir  func() (string, error)
	mine func() (string, error)
}

// New gives a workshop whose directory is made when it is needed. Close removes it.
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

// Program is the program of this source, as it is released, or the file that HANDOFF_PROGRAM names.
func (w *Workshop) Program() (string, error) { return w.mine() }

// Build compiles the program of this source as a version, empty for none. It is run in the directory of a package
// that is three levels below the module.
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
	cmd := exec.Command("go", append(args, "handoff/cmd/handoff")...) //nolint:noctx,gosec // done before any test, with words of ours
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

// Close removes the directory. It ends the processes that still run a program of it, and gives their ids; where
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
