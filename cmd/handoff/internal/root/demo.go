package root

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/demo"
	"handoff/cmd/handoff/internal/output"
	"handoff/schemas"
)

func demoCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Watch four agents pass work along a chain",
		RunE:  func(cmd *cobra.Command, _ []string) error { return playUntilReaderLeaves(cmd.Context(), a) },
	}
}

// playUntilReaderLeaves plays the demo in a temporary directory until it ends or the reader of its output leaves. Its
// exit status is then the status that shells give to a program that SIGPIPE ended.
func playUntilReaderLeaves(ctx context.Context, a *cli.App) error {
	ctx, out := output.StartWriter(ctx, a.Stdout)
	defer out.Close() // last: until then a late write to a closed pipe does not end the process
	state, err := os.MkdirTemp(a.Getenv("TMPDIR"), "handoff-demo-")
	if err != nil {
		return schemas.Errorf(schemas.Unavailable, "make a temporary directory: %w", err)
	}
	defer func() {
		if left := removeDemo(state); left != nil { // the demo itself went as it went
			fmt.Fprintf(a.Stderr, "handoff: the directory of the demo is left, remove it yourself: %v\n", left)
		}
	}()
	read := *a
	read.Stdout, read.IsTerminal = out, func(any) bool { return a.IsTerminal(a.Stdout) }
	err = playDemo(ctx, &read, state)
	if errors.Is(context.Cause(ctx), output.ErrReaderLeft) {
		return cli.ExitStatus(128 + int(syscall.SIGPIPE))
	}
	return err
}

// removeDemo removes the directory of the demo. It tries again for two seconds, because Windows may close the files of
// the server a moment after the server has ended. It removes each file by its path, because Wine lacks the function
// with which [os.RemoveAll] removes files.
func removeDemo(dir string) (err error) {
	for range 100 {
		var paths []string
		err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			paths = append(paths, path)
			return err
		})
		for _, path := range slices.Backward(paths) {
			err = cmp.Or(err, os.Remove(path))
		}
		if err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

const demoWorkspace = "demo"

// playDemo plays the example, and runs three commands that show its result to the user.
func playDemo(ctx context.Context, a *cli.App, state string) error {
	var looked error
	look := func() {
		for _, command := range [][]string{{"history", "wf_auth"}, {"show", "ho_2"}, {"audit", "verify"}} {
			if looked = showCommandOutput(ctx, a, state, command); looked != nil {
				return
			}
		}
	}
	err := demo.Play(ctx, demo.Config{
		Executable: a.Executable, StateHome: state, Workspace: demoWorkspace, Out: a.Stdout, Errors: a.Stderr,
	}, look)
	if err != nil {
		return schemas.Errorf(schemas.Internal, "the demonstration went wrong: %w", err)
	}
	return looked
}

// showCommandOutput runs a command in the workspace of the demonstration.
func showCommandOutput(ctx context.Context, a *cli.App, state string, command []string) error {
	p := &cli.Page{Style: a.Style()}
	p.AddLine("\n%s", p.Bold("$ handoff "+command[0]+" "+command[1]))
	if err := a.Write(p.String()); err != nil {
		return err
	}
	e := a.Env
	e.Getenv = func(name string) string {
		switch name {
		case "XDG_STATE_HOME":
			return state
		case "HANDOFF_WORKSPACE":
			return demoWorkspace
		case "TERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS":
			return a.Getenv(name)
		}
		return ""
	}
	var said bytes.Buffer // messages about the reader's leaving are no fault: they are dropped
	e.Stderr = &said
	code := Run(ctx, e, a.Release.Version, command)
	if !errors.Is(context.Cause(ctx), output.ErrReaderLeft) {
		_, _ = said.WriteTo(a.Stderr)
	}
	if code != 0 {
		return cli.ExitStatus(code)
	}
	return nil
}
