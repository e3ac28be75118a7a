package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// Exit statuses beside those of [schemas.Codes].
const (
	exitOutcome = 1 // wait: it ended, but not well
	exitNothing = 6 // claim: nothing waits
)

// A status ends a command without a message: what there is to say was said.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// run runs one command and gives its exit status.
func run(ctx context.Context, e env, args []string) int {
	a := &app{env: e}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return a.report(cmd, a.silenced(cmd, args, err))
}

// report writes an error where its reader looks for it and gives the exit status.
func (a *app) report(cmd *cobra.Command, err error) int {
	var s status
	switch {
	case err == nil:
		return 0
	case errors.As(err, &s):
		return int(s)
	}
	coded := a.coded(cmd, err)
	hint := coded.Hint
	if cmd.Name() != "call" { // who calls tools is told of tools
		hint = a.sayAgain(advice(hint, coded.Handoff, func(flag string) bool { return cmd.Flag(flag) != nil }))
	}
	if a.json {
		a.printJSONError(coded)
	}
	a.printError(coded, hint)
	return schemas.Codes[coded.Code].Exit
}

// coded gives the coded error within err. All of ours are; others are of the flag parser.
func (a *app) coded(cmd *cobra.Command, err error) *schemas.Error {
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		return e
	}
	return schemas.Errorf(schemas.Invalid, "%s", strings.TrimSpace(err.Error())).
		WithHint("%s --help shows how it is used.", cmd.CommandPath())
}

func (a *app) printError(e *schemas.Error, hint string) {
	fmt.Fprintf(a.stderr, "handoff: %s\n", schemas.Visible(e.Error()))
	if len(e.Known) > 0 && !strings.Contains(hint, e.Known[0]) {
		fmt.Fprintf(a.stderr, "  Known: %s\n", schemas.Visible(strings.Join(e.Known, ", ")))
	}
	if hint != "" {
		fmt.Fprintf(a.stderr, "  %s\n", schemas.Visible(hint))
	}
}

// printJSONError writes what a tool call answers with when it is refused.
func (a *app) printJSONError(e *schemas.Error) {
	if b, err := json.Marshal(e); err == nil {
		fmt.Fprintln(a.stdout, inert(b))
	}
}
