package main

import (
	"io"
	"os"
	"time"

	"handoff/cmd/handoff/internal/terminal"
)

// env is all that a command sees of the process around it, so that tests run commands in theirs.
type env struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	isTerminal     func(stream any) bool
	now            func() time.Time
	awake          func() time.Duration // that the machine was, since the start of this program; nil: all the time
	cwd            string
	executable     string         // this program, for commands that start it again
	exit           func(code int) // ends a server that does not end by itself
}

// system is the real one.
func system() env {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "/" // a directory that was deleted: --dir and --workspace still work
	}
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	started := time.Now()
	return env{
		getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		isTerminal: terminal.Is, now: time.Now, awake: func() time.Duration { return time.Since(started) },
		cwd: cwd, executable: executable, exit: os.Exit,
	}
}
