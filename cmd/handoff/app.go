package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// app is one run of the program: its surroundings and the flags that every command has.
type app struct {
	env
	Release Release

	agent     string
	dir       string
	workspace string
	json      bool
	noColor   bool
	drained   string // the flag or argument that was given standard input

	keeping keeping // of the store, where this process owns it
}

// BindGlobal binds the flags that every command has.
func (a *app) BindGlobal(flags *pflag.FlagSet) {
	flags.StringVar(&a.agent, "agent", "", "act under this `name`")
	flags.StringVar(&a.dir, "dir", "", "the project's `directory` (default: that of the client, else the current one)")
	flags.StringVar(&a.workspace, "workspace", "", "`name` of the workspace, 1 to 64 of A-Z a-z 0-9 . _ -, not . or - first (default: that of the project)")
	flags.BoolVar(&a.json, "json", false, "print the result of the tool as it is")
	flags.BoolVar(&a.noColor, "no-color", false, "no colour")
	FromEnvironment(flags)
}

// Begin readies a command that is to run: its flags take their values from where they are said to be.
func (a *app) Begin(cmd *cobra.Command) error {
	return errors.Join(a.FromEnvironment(cmd), a.readSources(cmd))
}

// caller is who acts. Without a name a command may only read.
func (a *app) caller(writes bool) (schemas.Caller, error) {
	atTerminal := a.isTerminal(a.stdin) || a.isTerminal(a.stdout)
	by, err := identity.Caller(a.agent, a.getenv, atTerminal)
	if err == nil && writes && by.Agent == "" {
		err = identity.Missing()
	}
	return by, err
}

func (a *app) place() workspace.Config {
	return workspace.Config{Name: a.workspace, Dir: a.dir, Cwd: a.cwd, Getenv: a.getenv}
}

func (a *app) style() terminal.Style {
	return terminal.Of(a.stdout, a.isTerminal(a.stdout), a.noColor, a.getenv)
}
