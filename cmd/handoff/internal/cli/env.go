package cli

import (
	"io"
	"os"
	"time"

	"handoff/cmd/handoff/internal/terminal"
)

// Env is all that a command sees of the process around it, so that tests run commands in theirs.
type Env struct {
	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	IsTerminal     func(stream any) bool
	Now            func() time.Time
	Awake          func() time.Duration // that the machine was, since the start of this program; nil: all the time
	Cwd            string
	Executable     string         // this program, for commands that start it again
	Exit           func(code int) // ends a server that does not end by itself
}

// System is the process that this program runs as.
func System() Env {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "/" // a directory that was deleted: --dir and --workspace still work
	}
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	started := time.Now()
	return Env{
		Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		IsTerminal: terminal.Is, Now: time.Now, Awake: func() time.Duration { return time.Since(started) },
		Cwd: cwd, Executable: executable, Exit: os.Exit,
	}
}
