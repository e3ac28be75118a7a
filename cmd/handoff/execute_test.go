package main

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"time"

	"handoff/cmd/handoff/internal/cli"
)

// execute runs a command in this process, with these variables. Where e says nothing the command has no input, prints
// into what is given back, is at no terminal, and has the time of day.
func execute(ctx context.Context, e cli.Env, vars map[string]string, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	e.Getenv = func(name string) string { return vars[name] }
	e.Stdin = cmp.Or[io.Reader](e.Stdin, bytes.NewReader(nil))
	e.Stdout, e.Stderr = cmp.Or[io.Writer](e.Stdout, &stdout), cmp.Or[io.Writer](e.Stderr, &stderr)
	if e.IsTerminal == nil {
		e.IsTerminal = func(any) bool { return false }
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	code = run(ctx, e, args)
	return code, stdout.String(), stderr.String()
}

// with are the variables of a state directory, and more.
func with(state string, more map[string]string) map[string]string {
	vars := map[string]string{"XDG_STATE_HOME": state}
	maps.Copy(vars, more)
	return vars
}
