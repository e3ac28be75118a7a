package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/news"
	"handoff/cmd/handoff/internal/process"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay"
)

// hookLimit is how long a hook may take. Its client waits for it, and so does a person.
const hookLimit = 1800 * time.Millisecond

func (a *app) hookCommand() *cobra.Command {
	client := ""
	cmd := &cobra.Command{
		Use:   "hook EVENT",
		Short: "Tell a session its news, as a hook of its client",
		Example: `  handoff hook session-start <account.json     # as a client runs it
  handoff hook stop --client codex
  HANDOFF_HOOK_DEBUG=/tmp/hook.log handoff hook prompt --client gemini-cli`,
		Long: `EVENT is session-start, prompt, tool, stop, subagent-stop, session-end or compact. The client's account of it
comes on standard input, and what its model is to read goes to standard output in the form that the client takes.

At the start a session is told who it is, what it holds and what waits; later only new mail, each item once. When
it stops it is reminded of what it holds, once for each handoff. When it ends or loses its context it leaves a note
with what it holds.

A hook never disturbs a session: when there is nothing to say, in a project that never used handoff, and on any
fault it prints nothing and ends with status 0. HANDOFF_HOOK_DEBUG names a file to which it then adds why.`,
		Args:               cobra.ArbitraryArgs, // what is wrong with them is not told to the client
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 && a.isTerminal(a.stdin) {
				return cmd.Help()
			}
			if len(given) != 1 || !slices.Contains(news.Events, news.Event(given[0])) {
				return fmt.Errorf("%q is not an event", given)
			}
			return a.within(cmd.Context(), hookLimit, func(ctx context.Context) ([]byte, error) {
				return a.hook(ctx, news.Event(given[0]), client)
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "which `client` runs it: claude-code, codex or gemini-cli (default: as it shows)")
	return cmd
}

// within prints what fn gives, unless that takes too long: then it is left alone, and this process ends.
func (a *app) within(ctx context.Context, limit time.Duration, fn func(context.Context) ([]byte, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	var answer []byte
	go func() {
		defer func() {
			if p := recover(); p != nil { // which would end the process with the status by which hooks object
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		var err error
		answer, err = fn(ctx)
		done <- err
	}()
	select {
	case err := <-done:
		switch {
		case err != nil:
			return err
		case len(answer) == 0:
			return errNothing
		}
		_, err = a.stdout.Write(answer)
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hook gives what is to be printed on an event.
func (a *app) hook(ctx context.Context, e news.Event, client string) ([]byte, error) {
	account, err := news.Read(a.stdin)
	if err != nil {
		return nil, err
	}
	asked, ok := account.Asks(e)
	if !ok {
		return nil, nil
	}
	var out schemas.NewsOut
	s, err := a.sessionOf(account, client, asked)
	if err == nil {
		err = s.visit(ctx, func(v *visit) error { return v.news(ctx, s.asked, &out) })
	}
	if err != nil {
		return nil, err
	}
	return account.Answer(e, s.asked.Client, out, s.place.Name)
}

// A hooked is a session whose client runs this command.
type hooked struct {
	*app
	by    schemas.Caller // without a name, unless one was chosen
	asked schemas.NewsIn
	place workspace.Workspace
}

var (
	errNoClient = errors.New("nothing tells which client this is: give --client")
	errNothing  = errors.New("there is nothing to say")
	errUnused   = errors.New("nobody has used handoff here")
)

// sessionOf tells which session a client gives an account of, and what is to be asked for it. A workspace that is
// not there is not made.
func (a *app) sessionOf(account news.Account, client string, asked schemas.NewsIn) (s hooked, err error) {
	around, err := identity.Caller("", a.getenv, false)
	if err != nil {
		return s, err
	}
	asked.Client = account.Client(client, around.Agent)
	if asked.Client == "" && a.agent == "" {
		return s, errNoClient
	}
	if asked.Session == "" {
		asked.Session = identity.Session(asked.Client, a.getenv)
	}
	asked.Process = identity.Process(asked.Client, a.getenv)
	asked.Above = process.Above()
	asked.Follows = asked.Process != "" // who is told in a shell is told as a server
	s = hooked{app: a, by: schemas.Caller{Via: schemas.ViaCLI, AgentID: asked.Session}, asked: asked}
	if a.agent != "" {
		if s.by, err = s.by.As(a.agent); err != nil {
			return s, err
		}
	}
	if filepath.IsAbs(account.Dir) {
		a.cwd = account.Dir
	}
	if s.place, err = workspace.Find(a.place()); err != nil {
		return s, err
	}
	if _, used := s.place.Store(); !used {
		return s, errUnused
	}
	return s, nil
}

// visit opens the workspace for as long as fn runs. What goes wrong meanwhile is nothing to a client.
func (s hooked) visit(ctx context.Context, fn func(*visit) error) error {
	return s.open(ctx, false, slog.New(slog.DiscardHandler), func(_ workspace.Workspace, boxes *relay.Relay) error {
		return fn(&visit{boxes: boxes, by: s.by, app: s.app})
	})
}

func (v *visit) news(ctx context.Context, asked schemas.NewsIn, out *schemas.NewsOut) error {
	*out = schemas.NewsOut{}
	_, err := v.call(ctx, "session_news", asked, out)
	return err
}

// silenced keeps what is wrong with a hook from its client: status 2 would stop the session or wake it, and what is
// printed would be read by its model.
func (a *app) silenced(cmd *cobra.Command, args []string, err error) error {
	if _, isStatus := errors.AsType[status](err); err == nil || isStatus || !isHook(cmd, args) {
		return err
	}
	if file := a.getenv("HANDOFF_HOOK_DEBUG"); file != "" {
		a.debug(file, args, err)
	}
	return nil
}

func isHook(cmd *cobra.Command, args []string) bool {
	switch cmd.CommandPath() {
	case "handoff hook":
		return true
	case "handoff wait":
		return slices.ContainsFunc(args, func(arg string) bool { return arg == "--hook" || strings.HasPrefix(arg, "--hook=") })
	case "handoff": // a flag before the command was wrong
		return slices.Contains(args, "hook")
	}
	return false
}

// debugLimit is how long writing down why may take: the file may be on a disk that does not answer.
const debugLimit = 200 * time.Millisecond

// debug adds a line to a file. That it cannot is nobody's concern.
func (a *app) debug(file string, args []string, why error) {
	written := make(chan struct{})
	go func() { // left behind when it takes too long: the process ends
		defer close(written)
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return
		}
		fmt.Fprintf(f, "%s handoff %q: %v\n", a.now().UTC().Format(time.RFC3339Nano), args, why)
		_ = f.Close() // see above
	}()
	select {
	case <-written:
	case <-time.After(debugLimit):
	}
}
