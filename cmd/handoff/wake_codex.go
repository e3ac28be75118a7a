package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/news"
	"handoff/cmd/handoff/internal/process"
	"handoff/schemas"
)

// Codex waits for its hooks to end, and has a command that tells a thread something. So a wait for it goes on in a
// process of its own, and wakes by that command.

// queueLimit is how long Codex may take to accept a message.
const queueLimit = 30 * time.Second

// inBackground goes on in a process of its own, which ends with the client.
func (s hooked) inBackground() error {
	args := []string{
		"wait", "--hook", "--client", string(s.asked.Client), "--codex-thread", s.asked.Session,
		"--client-process", strconv.Itoa(process.Client()),
	}
	if s.dir != "" {
		args = append(args, "--dir", s.dir)
	}
	if s.agent != "" {
		args = append(args, "--agent", s.agent)
	}
	if s.workspace != "" {
		args = append(args, "--workspace", s.workspace)
	}
	cmd := exec.Command(s.executable, args...) //nolint:gosec,noctx // this program; it goes on after this process
	cmd.Dir = s.cwd
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("go on in the background: %w", err)
	}
	return cmd.Process.Release()
}

// queue gives Codex a message for the thread, which begins a turn if none is under way. It says nothing of what others
// wrote: Codex takes it as an argument, which everybody on the machine can read. The claim shows the brief.
func (w waking) queue(ctx context.Context, out schemas.NewsOut) error {
	ctx, cancel := context.WithTimeout(ctx, queueLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, codex(w.over), "queue", "--thread", w.thread, "--message", news.Wake(out, "")) //nolint:gosec // no shell reads them
	process.Tree(cmd)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("codex queue: %w: %s", err, schemas.Visible(schemas.Clip(string(said), 500)))
	}
	return nil
}

// codex is the program that runs as the given process, where the system tells, else that on PATH.
func codex(pid int) string {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err == nil && strings.HasPrefix(filepath.Base(exe), "codex") {
		if _, err := os.Stat(exe); err == nil {
			return exe
		}
	}
	return "codex"
}
