package session

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/commands/session/delivery"
	"handoff/cmd/handoff/internal/process"
	"handoff/schemas"
)

// A client with a queue, as Codex, waits for its hooks to end, and has a command that tells a thread something. So a
// wait for it goes on in a process of its own, and wakes by that command.

// queueLimit is how long a client may take to accept a message.
const queueLimit = 30 * time.Second

// inBackground goes on in a process of its own, which ends with the client.
func (s hooked) inBackground() error {
	args := []string{
		"wait", "--hook", "--client", string(s.asked.Client), "--codex-thread", s.asked.Session,
		"--client-process", strconv.Itoa(process.Client()),
	}
	if s.Dir != "" {
		args = append(args, "--dir", s.Dir)
	}
	if s.Agent != "" {
		args = append(args, "--agent", s.Agent)
	}
	if s.Workspace != "" {
		args = append(args, "--workspace", s.Workspace)
	}
	cmd := exec.Command(s.Executable, args...) //nolint:gosec,noctx // this program; it goes on after this process
	cmd.Dir = s.Cwd
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("go on in the background: %w", err)
	}
	return cmd.Process.Release()
}

// queueOf is the command that tells a thread of the client something; nil where the client has none.
func (s hooked) queueOf() (program string, command func(thread, text string) []string) {
	c, _ := client.Named(string(s.asked.Client))
	if c.Hooks == nil {
		return c.Program, nil
	}
	return c.Program, c.Hooks.Queue
}

// queue gives the client a message for the thread, which begins a turn if none is under way. It says nothing of what
// others wrote: the client takes it as an argument, which everybody on the machine can read. The claim shows the brief.
func (s hooked) queue(ctx context.Context, w waking, out schemas.NewsOut) error {
	program, command := s.queueOf()
	if command == nil {
		return fmt.Errorf("%s has no queue for a thread", s.asked.Client)
	}
	ctx, cancel := context.WithTimeout(ctx, queueLimit)
	defer cancel()
	args := command(w.thread, delivery.Wake(out, ""))
	cmd := exec.CommandContext(ctx, programOf(w.over, program), args...) //nolint:gosec // no shell reads them
	process.Tree(cmd)
	if said, err := cmd.CombinedOutput(); err != nil {
		said := schemas.Visible(schemas.Clip(string(said), 500))
		return fmt.Errorf("%s %s: %w: %s", program, args[0], err, said)
	}
	return nil
}

// programOf is the program that runs as the given process, where the system tells, else the one of that name on PATH.
func programOf(pid int, name string) string {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err == nil && strings.HasPrefix(filepath.Base(exe), name) {
		if _, err := os.Stat(exe); err == nil {
			return exe
		}
	}
	return name
}
