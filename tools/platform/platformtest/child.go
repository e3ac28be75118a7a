//go:build unix

// Package platformtest is only for tests: it shows whether a child process of a program has ended with the program.
package platformtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// endLimit is how long RequireEnd waits for the end of a child.
const endLimit = 10 * time.Second

// A Child is a process that a shell script starts and does not end. It counts as running as long as it has a pipe open.
// Its process number would not show its end: the system keeps the number until the parent has waited for the process.
type Child struct {
	pipe  string
	ended chan error
}

// NewChild returns a child. When a script has started it, started is called in another goroutine.
func NewChild(t testing.TB, started func()) Child {
	t.Helper()
	c := Child{pipe: filepath.Join(t.TempDir(), "pipe"), ended: make(chan error, 1)}
	if err := syscall.Mkfifo(c.pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { c.ended <- c.watchPipe(started) }() // RequireEnd waits for it
	return c
}

// StartLine returns a line of a shell script that starts the child.
func (c Child) StartLine() string {
	return fmt.Sprintf("exec 3>'%s'; sleep 60 >/dev/null 2>&1 & echo started >&3; exec 3>&-\n", c.pipe)
}

func (c Child) watchPipe(started func()) error {
	pipe, err := os.Open(c.pipe)
	if err != nil {
		return err
	}
	defer pipe.Close()
	said := bufio.NewReader(pipe)
	if _, err := said.ReadString('\n'); err != nil {
		return err
	}
	started()
	_, err = io.Copy(io.Discard, said)
	return err
}

// RequireEnd fails the test unless the child was started and ends within ten seconds.
func (c Child) RequireEnd(t testing.TB) {
	t.Helper()
	select {
	case err := <-c.ended:
		if err != nil {
			t.Fatalf("watch what was started: %v", err)
		}
	case <-time.After(endLimit):
		t.Fatal("what was started goes on, or never began")
	}
}
