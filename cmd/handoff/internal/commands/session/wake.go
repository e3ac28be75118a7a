package session

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/identity"
	"handoff/schemas"
	"handoff/tools/platform"
)

const (
	// exitWake is the exit status of the waiting command that makes Claude Code wake a session. Claude Code gives the
	// text on standard error to the session.
	exitWake = 2

	// maxWake is the longest time that the command waits for mail while its session sleeps.
	maxWake = 8 * time.Hour

	// maxFailures is the number of failed calls in a row after which the command stops waiting for mail. Each failed
	// call takes at least a second.
	maxFailures = 60
)

// wakeOptions holds the options of a wait that wakes a session when a handoff for the session arrives.
type wakeOptions struct {
	hook      bool
	client    string // the client that runs it
	thread    string // of Codex, which is woken by its queue and not by the status
	clientPID int    // the client's process; zero: the process that started this command
}

func (w *wakeOptions) defineFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&w.hook, "hook", false, "wait for mail instead, as a hook, and wake its session")
	flags.StringVar(&w.client, "client", "", "with --hook: the `client` that runs it (default: detected)")
	flags.StringVar(&w.thread, "codex-thread", "", "with --hook: `id` of the Codex thread that is to be woken")
	flags.IntVar(&w.clientPID, "client-process", 0, "with --hook: `number` of the process with which the wait ends")
	_ = flags.MarkHidden("client-process") // the flag exists
}

// AddHookFlag adds the flag --hook to the command wait. With the flag, the command waits for mail of a session, and
// wakes the session when mail arrives.
func AddHookFlag(a *cli.App, wait *cobra.Command) {
	w := wakeOptions{}
	w.defineFlags(wait.Flags())
	args, run := wait.Args, wait.RunE
	wait.Args = func(cmd *cobra.Command, given []string) error {
		if w.hook {
			return cobra.NoArgs(cmd, given)
		}
		return args(cmd, given)
	}
	wait.RunE = func(cmd *cobra.Command, given []string) error {
		if w.hook {
			return wakeSession(cmd.Context(), a, w)
		}
		return run(cmd, given)
	}
}

// wakeSession waits for a handoff for a sleeping session and then wakes the session. It stops waiting when the session
// works again, when the client has ended, or when another command waits for the same session. For a client with a
// message queue it waits in the background, because that client waits for its hooks to end.
func wakeSession(ctx context.Context, a *cli.App, w wakeOptions) error {
	if client.IsUnattended(a.Getenv) { // there the client waits for us before it begins
		return nil
	}
	preventExitStatus2()
	ctx, life := platform.BeginLife(ctx, a.Exit)
	defer life.End()
	s, err := findSleepingSession(ctx, a, w)
	switch {
	case err != nil:
		return err
	case w.thread == "":
		if _, queue := s.queueCommand(); queue != nil {
			return s.continueInBackground()
		}
	}
	followed := w.newClientIdentifier(s)
	life.FollowParent(followed)
	if followed() == noProcess { // it ended before it could be followed
		return nil
	}
	if w.thread != "" {
		platform.LeaveGroup(a.Stdin, a.IsTerminal)
	}
	return s.openWorkspace(ctx, func(conn *cli.Connection) error {
		out, err := awaitMail(ctx, conn, s.request)
		if err != nil || len(out.New) == 0 {
			return err
		}
		if w.thread != "" {
			err = s.queueMessage(ctx, w, out)
		} else {
			err = wakeByExitStatus(ctx, conn, out)
		}
		return reportUndelivered(ctx, conn, err, s.request, out)
	})
}

// wakeByExitStatus wakes Claude Code, whose model reads standard error.
func wakeByExitStatus(ctx context.Context, conn *cli.Connection, out schemas.NewsOut) error {
	var shown schemas.GetOut
	conn.By.Agent = out.Agent
	_, err := conn.Call(ctx, "get_handoff", cli.Arguments{"handoff_id": out.New[0].HandoffID.String()}, &shown)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprint(conn.App.Stderr, wakeText(out, shown.Brief)); err != nil {
		return err
	}
	return cli.ExitStatus(exitWake)
}

// findSleepingSession returns the session to wake.
func findSleepingSession(ctx context.Context, a *cli.App, w wakeOptions) (clientSession, error) {
	report := hookReport{Session: w.thread}
	if w.thread == "" {
		ctx, end := context.WithTimeout(ctx, hookLimit)
		defer end()
		var err error
		if report, err = readReport(ctx, a); err != nil {
			return clientSession{}, err
		}
	}
	asked := schemas.NewsIn{On: schemas.OnWake, Session: schemas.Clip(report.Session, maxSessionID)}
	if w.clientPID > 0 {
		asked.Ancestors = []int{platform.ProcessID(w.clientPID)}
	}
	return findSession(a, report, w.client, asked)
}

// awaitMail waits for mail that should wake a session. It returns a result without mail if there is no more reason to
// wake the session.
func awaitMail(ctx context.Context, conn *cli.Connection, asked schemas.NewsIn) (out schemas.NewsOut, err error) {
	failures := 0
	err = conn.RepeatUntilDone(ctx, maxWake, func(now cli.Arguments) (done bool, err error) {
		asked.WaitSeconds, _ = now["wait_seconds"].(int)
		if out, err = requestNews(ctx, conn, asked); err != nil {
			failures++
			return failures == maxFailures, err
		}
		failures = 0
		return len(out.New) > 0 || out.Over != "", nil
	})
	return out, err
}

// noProcess is the number of no process.
const noProcess = 0

// newClientIdentifier returns a function that identifies the client's process. The result of that function stays the
// same while the client runs, and changes after the client has ended.
func (w wakeOptions) newClientIdentifier(s clientSession) func() int {
	pid := cmp.Or(w.clientPID, identity.ClientPID(s.request.Client, s.Getenv))
	if pid <= 1 {
		return os.Getppid
	}
	return func() int {
		if !platform.ProcessExists(pid) {
			return noProcess
		}
		return pid
	}
}

// Codex is a client with a message queue: it has a command that sends a message to a thread. Codex waits for its hooks
// to end. So the hook starts a new process that waits for mail and then wakes the thread with that command.

// queueLimit is the longest time that a client may take to accept a message.
const queueLimit = 30 * time.Second

// continueInBackground starts this program as a new process that continues the wait for mail. The new process ends when
// the client ends.
func (s clientSession) continueInBackground() error {
	args := []string{
		"wait", "--hook", "--client", string(s.request.Client), "--codex-thread", s.request.Session,
		"--client-process", strconv.Itoa(platform.LauncherPID()),
	}
	for _, flag := range [][]string{{"--dir", s.Dir}, {"--agent", s.Agent}, {"--workspace", s.Workspace}} {
		if flag[1] != "" {
			args = append(args, flag...)
		}
	}
	cmd := exec.Command(s.Executable, args...) //nolint:gosec,noctx // this program; it goes on after this process
	cmd.Dir = s.Cwd
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("go on in the background: %w", err)
	}
	return cmd.Process.Release()
}

// queueCommand returns the client's command that sends a message to a thread. Command is nil if the client has no such
// command.
func (s clientSession) queueCommand() (program string, command func(thread, text string) []string) {
	c, _ := client.ByName(string(s.request.Client))
	if c.Hooks != nil {
		command = c.Hooks.Queue
	}
	return c.Program, command
}

// queueMessage sends a message to the client's thread. An idle thread then begins a turn. The message contains no texts
// of agents, because every user of the machine can read the arguments of a command. The session reads the brief when it
// claims the handoff.
func (s clientSession) queueMessage(ctx context.Context, w wakeOptions, out schemas.NewsOut) error {
	program, command := s.queueCommand()
	if command == nil {
		return fmt.Errorf("%s has no queue for a thread", s.request.Client)
	}
	ctx, cancel := context.WithTimeout(ctx, queueLimit)
	defer cancel()
	args := command(w.thread, wakeText(out, ""))
	cmd := exec.CommandContext(ctx, programPath(w.clientPID, program), args...) //nolint:gosec // no shell reads them
	platform.CancelTree(cmd)
	if said, err := cmd.CombinedOutput(); err != nil {
		said := schemas.EscapeHidden(schemas.Clip(string(said), 500))
		return fmt.Errorf("%s %s: %w: %s", program, args[0], err, said)
	}
	return nil
}

// programPath returns the path of the program that a process runs. If the system does not show the path, it returns the
// path of the program called name on PATH.
func programPath(pid int, name string) string {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err == nil && strings.HasPrefix(filepath.Base(exe), name) {
		if _, err := os.Stat(exe); err == nil {
			return exe
		}
	}
	return name
}
