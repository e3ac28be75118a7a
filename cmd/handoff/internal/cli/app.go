// Package cli is the base of all commands of handoff.
//
// An [App] is one run of the program. Its [Env] is the part of the surrounding process that commands see. Its other
// fields are the flags that every command has. A command defines the flags that become arguments of a tool as a list of
// [Field]. It calls the tool with [Call] if it makes one call, and otherwise over a [Connection] to the workspace. It
// prints the result with [App.Print], unchanged for programs or as a [Page] for people. [App.Report] prints its errors
// and returns the exit status.
//
// A family is a package of related commands that builds on this package. No family uses another family, with one
// exception: package checks uses package look, because its command watch follows events in the same way.
//
// Variables of the environment set only flags that every command has, and flags of servers. They set no flag of a
// single call. Otherwise a forgotten variable could, for example, turn a note into a redirection.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools/platform"
)

// App is one run of the program. It holds the surrounding process and the flags that every command has.
type App struct {
	Env
	Release   Release
	Args      []string                 // the words of the command line
	Spellings func() []CommandSpelling // of all commands; the first that fits is used

	ClientsSetUp func(*App) []schemas.Agent // reads which clients are set up on this machine; nil: none is known

	Agent     string // --agent: the name of the caller; empty: the surroundings decide
	Dir       string // --dir: of the project
	Workspace string // --workspace: its name; empty: the project's workspace
	JSON      bool   // --json: print results of tools unchanged

	MarkRead bool       // --read: a look with another agent's name marks its notices as read
	Limits   LimitFlags // of the store, while this process owns it

	agents    string // --agents: the file to read instead of the project's
	noColour  bool
	stdinFlag string // the flag or argument that read standard input
}

// DefineGlobalFlags binds the flags that every command has.
func (a *App) DefineGlobalFlags(flags *pflag.FlagSet) {
	flags.StringVar(&a.Agent, "agent", "", "act under this `name`")
	flags.StringVar(&a.Dir, "dir", "", "the project's `directory` (default: the client's project, else the current directory)")
	flags.StringVar(&a.Workspace, "workspace", "",
		"`name` of the workspace, 1 to 64 of A-Z a-z 0-9 . _ -, not . or - first (default: the project's workspace)")
	flags.BoolVar(&a.JSON, "json", false, "print the result of the tool as JSON")
	flags.BoolVar(&a.noColour, "no-color", false, "no colour")
	AllowEnvironment(flags)
}

// Prepare sets the flags of a command from the environment, and reads the files that flags name.
func (a *App) Prepare(cmd *cobra.Command) error {
	return errors.Join(a.SetFlagsFromEnvironment(cmd), a.readFlagTexts(cmd))
}

// Caller returns the caller of this command. It is the agent of --agent, the agent of the environment, the client in
// whose shell the command runs, or a person at a terminal. Without a caller, a command may only read: if writes is
// true, Caller returns an error.
func (a *App) Caller(writes bool) (schemas.Caller, error) {
	by, err := identity.CommandCaller(a.Agent, a.Getenv, a.AtTerminal())
	if err == nil && writes && by.Agent == "" {
		err = identity.NoNameError()
	}
	by.Borrowed = a.FlagUnlessInEnvironment("agent", a.Agent) != "" && !a.MarkRead
	return by, err
}

// AtTerminal reports whether standard input or standard output is a terminal.
func (a *App) AtTerminal() bool { return a.IsTerminal(a.Stdin) || a.IsTerminal(a.Stdout) }

// WorkspaceConfig returns the configuration for finding the workspace.
func (a *App) WorkspaceConfig() workspace.Config {
	return workspace.Config{Name: a.Workspace, Dir: a.Dir, Cwd: a.Cwd, Getenv: a.Getenv}
}

// Style returns the style of standard output.
func (a *App) Style() terminal.Style {
	style := terminal.ChooseStyle(a.Stdout, a.IsTerminal(a.Stdout), a.noColour, a.Getenv)
	style.Now = a.Now()
	return style
}

// Env is the part of the surrounding process that commands see. Tests replace it to run commands within their own
// process.
type Env struct {
	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	IsTerminal     func(stream any) bool
	Console        func() (io.ReadWriteCloser, error) // the terminal itself, wherever the streams lead; nil for none
	Programs       func() []string                    // names of the programs above this process; nil if unknown
	Now            func() time.Time
	Awake          func() time.Duration // time that the machine was awake since the start of this program; nil: always
	Cwd            string
	Executable     string         // this program, for commands that start it again
	Exit           func(code int) // ends a server that does not end by itself

	Extension mcp.Extension // what a test binary offers beside handoff
}

// SystemEnv returns the environment of this process.
func SystemEnv() Env {
	cwd, err := os.Getwd()
	if err != nil { // the directory was deleted: errors name it, and --dir and --workspace still work
		cwd = cmp.Or(os.Getenv("PWD"), "/")
	}
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	started := time.Now()
	return Env{
		Getenv: environment, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		IsTerminal: terminal.IsTerminal, Console: terminal.Console, Programs: platform.AncestorPrograms, Cwd: cwd, Executable: executable, Exit: os.Exit,
		Now: time.Now, Awake: func() time.Duration { return time.Since(started) },
	}
}

// environment returns a variable of the environment. Some clients start their servers without HOME: then the home
// directory comes from the user database.
func environment(name string) string {
	value := os.Getenv(name)
	if name == "HOME" && value == "" && runtime.GOOS != "windows" {
		if me, err := user.Current(); err == nil {
			return me.HomeDir
		}
	}
	return value
}

// Ask asks the person at the terminal a question and returns the typed line without surrounding blanks. After Ctrl-C it
// returns an error, and the caller must do nothing more.
func (a *App) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.Stderr, question)
	typed, err := readTypedLine(ctx, a.Stdin)
	if err != nil {
		fmt.Fprintln(a.Stderr)
		err = schemas.Errorf(schemas.Conflict, "it was interrupted").WithHint("Nothing was done.")
	}
	return typed, err
}

// Confirm asks the person at the terminal a question that only y or yes lets a command go on. Any other answer is an
// error.
func (a *App) Confirm(ctx context.Context, question string) error {
	typed, err := a.Ask(ctx, question+yesOrNo)
	if err != nil || isYes(typed) {
		return err
	}
	return schemas.Errorf(schemas.Conflict, "nothing was changed").WithHint("It was not agreed to.")
}

// yesOrNo ends each question that [isYes] decides. The answer to an empty line is no.
const yesOrNo = " [y/N] "

func isYes(typed string) bool { return slices.Contains([]string{"y", "yes"}, strings.ToLower(typed)) }

// readTypedLine returns a line that a person types, without surrounding blanks. An empty line is a valid answer. It
// returns an error when ctx is done.
func readTypedLine(ctx context.Context, r io.Reader) (string, error) {
	return RunInterruptible(ctx, func() (string, error) {
		line, _ := bufio.NewReader(r).ReadString('\n')
		return strings.TrimSpace(line), nil
	})
}

// Release describes the build.
type Release struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, with "+" if it was changed
	Go       string `json:"go"`
}

// NewRelease describes the build of this program. If version is empty, the version comes from the build information of
// Go.
func NewRelease(version string) Release {
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
