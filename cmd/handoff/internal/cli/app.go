// Package cli is what every command of handoff stands on.
//
// An [App] is one run of the program. Its [Env] is all that a command sees of the process around it; its other fields
// are the flags that every command has. A command declares the flags that become arguments of a tool as a list of
// [Field] and calls the tool: with [Call] where one call is all, else over a [Connection] to the workspace. It prints
// the result with [App.Print], as the tool gave it for programs or as a [Page] for people. Its errors go to
// [App.Report], which gives the exit status.
//
// The families of commands are in packages of their own and stand on this one. Only checks uses another family: its
// command watch follows the events as that of look does.
//
// The environment sets only settings: flags that every command has, and flags of servers. It sets no flag of a single
// call, because a variable that was left behind must not turn a note into a redirection.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/platform"
)

// App is one run of the program: its surroundings and the flags that every command has.
type App struct {
	Env
	Release   Release
	Spellings []Spelling // of all commands; the first that fits is used

	Agent     string // --agent: under which name the command acts; empty: its surroundings tell
	Dir       string // --dir: of the project
	Workspace string // --workspace: its name; empty: that of the project
	JSON      bool   // --json: the results of tools are printed as they are

	Reads  bool       // --read: who looks for another reads its notices
	Limits LimitFlags // of the store, while this process owns it

	agents   string // --agents: the file that stands in the place of that of the project
	noColour bool
	drained  string // the flag or argument that was given standard input
}

// BindGlobal binds the flags that every command has.
func (a *App) BindGlobal(flags *pflag.FlagSet) {
	flags.StringVar(&a.Agent, "agent", "", "act under this `name`")
	flags.StringVar(&a.Dir, "dir", "", "the project's `directory` (default: the client's project, else the current directory)")
	flags.StringVar(&a.Workspace, "workspace", "",
		"`name` of the workspace, 1 to 64 of A-Z a-z 0-9 . _ -, not . or - first (default: the project's workspace)")
	flags.BoolVar(&a.JSON, "json", false, "print the result of the tool as it is")
	flags.BoolVar(&a.noColour, "no-color", false, "no colour")
	FromEnvironment(flags)
}

// Begin readies a command that is to run: its flags take their values from where they are said to be.
func (a *App) Begin(cmd *cobra.Command) error {
	return errors.Join(a.FromEnvironment(cmd), a.readTexts(cmd))
}

// Caller gives who acts: by --agent, the environment, the client in whose shell this runs, or as a person at a
// terminal. A caller without a name may only read, so it is an error where the command writes.
func (a *App) Caller(writes bool) (schemas.Caller, error) {
	by, err := identity.Caller(a.Agent, a.Getenv, a.AtTerminal())
	if err == nil && writes && by.Agent == "" {
		err = identity.Missing()
	}
	return by, err
}

// AtTerminal tells whether a person reads what is printed, or types what is read.
func (a *App) AtTerminal() bool { return a.IsTerminal(a.Stdin) || a.IsTerminal(a.Stdout) }

// Location says where the workspace is to be looked for.
func (a *App) Location() workspace.Config {
	return workspace.Config{Name: a.Workspace, Dir: a.Dir, Cwd: a.Cwd, Getenv: a.Getenv}
}

// Style is how to write to standard output.
func (a *App) Style() terminal.Style {
	style := terminal.Of(a.Stdout, a.IsTerminal(a.Stdout), a.noColour, a.Getenv)
	style.Now = a.Now()
	return style
}

// Env is all that a command sees of the process around it, so that tests run commands in theirs.
type Env struct {
	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	IsTerminal     func(stream any) bool
	Console        func() (io.ReadWriteCloser, error) // the terminal itself, wherever the streams lead; nil: there is none
	Programs       func() []string                    // above this process; nil: nobody knows
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
		IsTerminal: terminal.Is, Console: terminal.Console, Programs: platform.AncestorPrograms, Cwd: cwd, Executable: executable, Exit: os.Exit,
		Now: time.Now, Awake: func() time.Duration { return time.Since(started) },
	}
}

// Ask asks somebody at the terminal a question and gives what is typed, without blanks around it. Ctrl-C answers
// too: then nothing is to be done.
func (a *App) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.Stderr, question)
	typed, err := typedLine(ctx, a.Stdin)
	if err != nil {
		fmt.Fprintln(a.Stderr)
		err = schemas.Errorf(schemas.Conflict, "it was interrupted").WithHint("Nothing was done.")
	}
	return typed, err
}

// typedLine gives what is typed until ctx is done, without blanks around it. None at all is an answer.
func typedLine(ctx context.Context, r io.Reader) (string, error) {
	return Attempt(ctx, func() (string, error) {
		line, _ := bufio.NewReader(r).ReadString('\n')
		return strings.TrimSpace(line), nil
	})
}

// Release is what the build says of itself.
type Release struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, with "+" when it was changed
	Go       string `json:"go"`
}

// ReleaseOf reads what the build says. A version that it was given comes first.
func ReleaseOf(version string) Release {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Release{Version: "unknown"}
	}
	r := Release{Version: cmp.Or(version, info.Main.Version, "(devel)"), Go: info.GoVersion}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			r.Revision = s.Value + r.Revision
		case s.Key == "vcs.modified" && s.Value == "true":
			r.Revision += "+"
		}
	}
	return r
}
