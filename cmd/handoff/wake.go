package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/news"
	"handoff/cmd/handoff/internal/process"
	"handoff/schemas"
)

const (
	// exitWake is the status by which Claude Code wakes a session, with what was printed on standard error.
	exitWake = 2

	// longestWake is how long a command waits for a session that nobody speaks to.
	longestWake = 8 * time.Hour

	// mostFailures is how often in a row the store may be unavailable, each for at least a second.
	mostFailures = 60
)

// waking is a wait that is to wake a session when a handoff comes for it.
type waking struct {
	hook   bool
	client string // which client runs it
	thread string // of Codex: it is told there, and not by the status
	over   int    // process of the client; zero: what runs this command tells
}

func (w *waking) bind(flags *pflag.FlagSet) {
	flags.BoolVar(&w.hook, "hook", false, "wait for mail instead, as a hook, and wake the session that it is for")
	flags.StringVar(&w.client, "client", "", "with --hook: which `client` runs it (default: as it shows)")
	flags.StringVar(&w.thread, "codex-thread", "", "with --hook: `id` of the Codex thread that is to be woken")
	flags.IntVar(&w.over, "client-process", 0, "with --hook: `number` of the process with which the wait ends")
	_ = flags.MarkHidden("client-process") // there is such a flag
}

// wake waits until a handoff comes for a session that sleeps, and wakes it. It ends as well when the session is at
// work, when its client has ended, and when another command waits for it. Codex waits for its hooks, so there it
// goes on in the background.
func (a *app) wake(ctx context.Context, w waking) error {
	if a.getenv("CLAUDE_CODE_SESSION_ATTENDED") == "0" { // there the client waits for us before it begins
		return nil
	}
	account := news.Account{Session: w.thread}
	if w.thread == "" {
		var err error
		if account, err = news.Read(a.stdin); err != nil {
			return err
		}
	}
	s, err := a.sessionOf(account, w.client, account.Sleeps())
	if err != nil {
		return err
	}
	if s.asked.Client == "codex" && w.thread == "" {
		return s.inBackground()
	}
	ctx, life := process.Begin(ctx, a.exit)
	defer life.End()
	client := w.clientOf(s)
	life.Follow(client)
	if client() == ended { // before it could be followed
		return nil
	}
	if w.thread != "" {
		process.LeaveGroup(a.stdin, a.isTerminal)
	}
	text, err := s.await(ctx)
	switch {
	case err != nil || text == "":
		return err
	case w.thread != "":
		return w.queue(ctx, text)
	}
	if _, err := fmt.Fprint(a.stderr, text); err != nil {
		return err
	}
	return status(exitWake)
}

// await waits for a handoff and gives what the session is to be told, or nothing when it is not to be woken.
func (s hooked) await(ctx context.Context) (text string, err error) {
	err = s.visit(ctx, func(v *visit) error {
		var out schemas.NewsOut
		failures := 0
		err := v.wait(ctx, longestWake, func(now arguments) (done bool, err error) {
			asked := s.asked
			asked.WaitSeconds, _ = now["wait_seconds"].(int)
			if err = v.news(ctx, asked, &out); err != nil {
				failures++
				return failures == mostFailures, err
			}
			failures = 0
			return len(out.New) > 0 || out.Over != "", nil
		})
		if err != nil || len(out.New) == 0 {
			return err
		}
		var shown schemas.GetOut
		v.by.Agent = out.Agent
		_, err = v.call(ctx, "get_handoff", arguments{"handoff_id": out.New[0].HandoffID.String()}, &shown)
		text = news.Wake(out, shown.Brief)
		return err
	})
	return text, err
}

// ended is no process.
const ended = 0

// clientOf gives a function that gives the same number as long as the client runs, and then another.
func (w waking) clientOf(s hooked) func() int {
	pid := w.over
	if pid == 0 {
		pid, _ = strconv.Atoi(identity.Process(s.asked.Client, s.getenv)) // zero where it does not tell
	}
	if pid <= 1 {
		return os.Getppid
	}
	return func() int {
		if !runs(pid) {
			return ended
		}
		return pid
	}
}

// runs tells whether there is a process with this number. Where processes take no signals they are not found when
// they have ended.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || runtime.GOOS == "windows" {
		return err == nil
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
