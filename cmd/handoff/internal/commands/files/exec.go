package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/payload"
	"handoff/schemas"
	"handoff/tools/platform"
)

func execCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:                "exec [send … | complete …] -- COMMAND…",
		DisableFlagParsing: true, // the flags belong to another command
		Args:               cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, given []string) error {
			words, command := given, []string(nil)
			if dashes := slices.Index(given, "--"); dashes >= 0 {
				words, command = given[:dashes], given[dashes+1:]
			}
			switch {
			case slices.Contains(words, "--help") || slices.Contains(words, "-h"):
				return cmd.Help()
			case len(command) == 0:
				return schemas.Invalidf("COMMAND", "is missing").
					WithHint("Give it behind two dashes: handoff exec -- COMMAND…")
			}
			onward, err := prepareNextCommand(a, cmd, words)
			if err != nil {
				return cli.ExitStatus(a.Report(cmp.Or(onward, cmd), err))
			}
			return runAgentAndHandOn(a, cmd, onward, command)
		},
	}
}

// prepareNextCommand prepares the command ("send" or "complete") that will hand on the result. It returns nil if the
// user named no command. It checks the arguments before the agent starts to work.
func prepareNextCommand(a *cli.App, cmd *cobra.Command, words []string) (*cobra.Command, error) {
	onward, words, err := cmd.Root().Find(words)
	switch {
	case err == nil && !onward.HasParent(): // only flags of every command
		return nil, onward.ParseFlags(words)
	case err != nil || onward.Name() != "send" && onward.Name() != "complete":
		return nil, schemas.Invalidf("", "the command before the two dashes is neither send nor complete").
			WithHint("With neither, handoff exec -- COMMAND… prints the text that COMMAND wrote.")
	}
	onward.SetContext(context.WithoutCancel(cmd.Context())) // a command that was told to end may have ended well
	if err := onward.ParseFlags(words); err != nil {
		return onward, err
	}
	if given := onward.Flags().Changed; given("file") || given("from-log") {
		return onward, schemas.Invalidf("--file", "is what COMMAND writes")
	}
	if err := cmp.Or(onward.ValidateArgs(onward.Flags().Args()), onward.ValidateFlagGroups(), a.Prepare(onward)); err != nil {
		return onward, err
	}
	_, err = a.Caller(true)
	return onward, err
}

// runAgentAndHandOn runs a command and then hands on the result of the command. It removes the file with the result. If
// handing on fails, it keeps the file for the user.
func runAgentAndHandOn(a *cli.App, cmd, onward *cobra.Command, command []string) error {
	dir, err := os.MkdirTemp(a.Getenv("TMPDIR"), "handoff-exec-")
	if err != nil {
		return schemas.Errorf(schemas.Unavailable, "make a temporary directory: %w", err)
	}
	file := filepath.Join(dir, "handoff.json")
	end, err := startRenewingClaims(cmd.Context(), a, onward)
	status := 0
	if err == nil {
		status, err = runAgentCommand(cmd.Context(), a, file, command)
	}
	end()
	if err == nil {
		err = handOnResult(a, cmd, onward, file, command[0], status)
	}
	if _, missing := os.Stat(file); err != nil && missing == nil {
		status = cmp.Or(status, a.Report(cmp.Or(onward, cmd), err))
		fmt.Fprintf(a.Stderr, "  Its text is kept: handoff send and complete take it with --file %s\n", file)
		return cli.ExitStatus(status)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err == nil && status != 0 {
		err = cli.ExitStatus(status)
	}
	return err
}

// runAgentCommand runs a command that writes its result into a file, and returns the command's exit status as a shell
// reports it. If this process gets a signal to end, runAgentCommand asks the command to end, and kills the command
// after some seconds.
func runAgentCommand(ctx context.Context, a *cli.App, file string, command []string) (status int, err error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the user named the command
	c.Dir, c.Stdin, c.Stdout, c.Stderr = a.Cwd, a.Stdin, a.Stdout, a.Stderr
	c.Env = append(os.Environ(), payload.PathVariables[0]+"="+file, payload.PathVariables[1]+"="+file)
	c.Cancel = func() error {
		if c.Process.Signal(syscall.SIGTERM) != nil { // as on Windows
			return c.Process.Kill()
		}
		return nil
	}
	c.WaitDelay = 10 * time.Second
	if err := c.Run(); c.ProcessState == nil { // otherwise the status is the better report
		return 0, schemas.Invalidf("COMMAND", "%w", err).WithHint("Nothing was run.")
	}
	if ended, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && ended.Signaled() {
		return 128 + int(ended.Signal()), nil
	}
	return c.ProcessState.ExitCode(), nil
}

// handOnResult hands on the content of the result file. Status is the exit status of the command that wrote the file.
func handOnResult(a *cli.App, cmd, onward *cobra.Command, file, command string, status int) error {
	if f, err := os.Lstat(file); err == nil && !f.Mode().IsRegular() { // of a command in a sandbox, it may lead out of that
		return schemas.Invalidf("", "the result of %s is a link, a pipe or a directory, and no file", command).
			WithHint("The command has to write into the file itself, or to copy it there. Nothing was handed on.")
	}
	said, err := readPayload(context.WithoutCancel(cmd.Context()), a, file)
	switch {
	case err != nil || said == nil:
		return err
	case onward == nil:
		return printInMarkers(a, said)
	case status != 0:
		return schemas.Errorf(schemas.Conflict, "%s ended with status %d, so nothing is handed on", command, status)
	}
	_ = onward.Flags().Set("file", file) // both commands have it
	return onward.RunE(onward, onward.Flags().Args())
}

// renewal is the interval at which exec renews the claim of the caller while the command runs. A claim made on the
// command line ends after half an hour without a call, and the command makes no calls.
const renewal = 10 * time.Minute

// startRenewingClaims renews the claims of the agent until the returned function end is called. It renews claims only
// if the next command is "complete". It does not renew a handoff that waits for an answer, because a renewal would
// withdraw the question. It returns an error if the agent holds no handoff.
func startRenewingClaims(ctx context.Context, a *cli.App, onward *cobra.Command) (end func(), err error) {
	if onward == nil || onward.Name() != "complete" {
		return func() {}, nil
	}
	renew := func(ctx context.Context) error {
		return a.ConnectAsCaller(ctx, "update_handoff", func(conn *cli.Connection) error {
			held, err := conn.ListAll(ctx, schemas.ListIn{Box: "claimed"})
			if err == nil && len(held) == 0 {
				return schemas.Errorf(schemas.Conflict, "%s holds nothing", conn.By.Agent).
					WithNext(schemas.AdviseCall(schemas.ClaimIn{}, "takes the next one"))
			}
			for _, item := range held {
				if item.Status != schemas.Waiting && err == nil {
					goesOn := cli.Arguments{"handoff_id": item.HandoffID, "action": schemas.ActProgress}
					_, err = conn.Call(ctx, "update_handoff", goesOn, nil)
				}
			}
			return err
		})
	}
	ctx, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for platform.Sleep(ctx, renewal); ctx.Err() == nil; platform.Sleep(ctx, renewal) {
			_ = renew(ctx) // the completion reports the result
		}
	})
	return func() { stop(); renewing.Wait() }, renew(ctx)
}
