package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/workspace"
)

// liveness is what a server said when it was tried.
type liveness struct {
	live.Answer

	Untried string `json:"not_tried,omitempty"` // why
	Problem string `json:"problem,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// trying is how long a server may take to answer.
const trying = 15 * time.Second

// try starts the server of each client that is set up, as the client would.
func (s *setupRun) try(ctx context.Context) {
	for _, c := range s.clients {
		if server, ok := c.desired.Find(c.Client); ok && c.Files[0].State != fileAlone {
			ctx, end := context.WithTimeout(ctx, trying)
			c.Live = s.ask(ctx, c, server)
			end()
		}
	}
}

func (s *setupRun) ask(ctx context.Context, c *clientSetup, server installed.Entry) *liveness {
	if server.Shared && !server.Written(c.desired.Server, s.setter.AsBefore(c.Client, c.desired).Server) {
		return &liveness{Untried: "it is not what setup writes"}
	}
	if server.URL != "" {
		return s.askAddress(ctx, c.Client, server.Server)
	}
	answer, err := s.askProgram(ctx, c.Client, server)
	if err == nil {
		return &liveness{Answer: answer}
	}
	program := server.Command[0]
	if _, another := errors.AsType[*live.Another](err); another {
		return &liveness{Problem: err.Error(), Remedy: shell.Line([]string{"command", "-v", program})}
	}
	remedy := shell.Line(append([]string{program}, "where")) // says what is wrong with the place, if that is it
	if s.within.Machine.LookPath(program) == "" && !filepath.IsAbs(program) {
		remedy = "put " + program + " on PATH, as with: ln -s " + shell.Quote(s.Executable) + " ~/.local/bin/" + program
	}
	return &liveness{Problem: err.Error(), Remedy: remedy}
}

// askProgram asks a server that is not to be seen: the client is not there yet. Where no session begins, as in the
// home directory, it runs elsewhere, and what it says of a workspace is left out.
func (s *setupRun) askProgram(ctx context.Context, c client.Client, server installed.Entry) (live.Answer, error) {
	m := s.within.Machine
	program := live.Program{Command: slices.Clone(server.Command), Dir: m.Project, Environ: append(m.Environ(), server.Environ...), As: c.Calls}
	if path := m.Program(program.Command[0]); path != "" {
		program.Command[0] = path
	}
	if _, err := workspace.Find(workspace.Config{Cwd: m.Project, Getenv: s.getenvElsewhere}); err != nil {
		program.Dir = ""
	}
	a, err := program.AskAside(ctx)
	if program.Dir == "" {
		a.You, _, _ = strings.Cut(a.You, " in workspace ")
	}
	return a, err
}

// getenvElsewhere is the environment without what tells of the session in whose shell this runs.
func (s *setupRun) getenvElsewhere(name string) string {
	if name == "CLAUDE_PROJECT_DIR" {
		return ""
	}
	return s.Getenv(name)
}

func (s *setupRun) askAddress(ctx context.Context, c client.Client, server client.Server) *liveness {
	token := s.Getenv(server.TokenEnv)
	if server.TokenEnv != "" && token == "" {
		return &liveness{Problem: server.TokenEnv + " is not set here", Remedy: "export " + server.TokenEnv + "=… where the client is started, and handoff setup --check"}
	}
	web := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer web.CloseIdleConnections()
	answer, err := live.Address{URL: server.URL, Token: token, Agent: server.Agent, As: c.Calls, HTTP: web}.Ask(ctx)
	_, another := errors.AsType[*live.Another](err)
	switch {
	case another:
		return &liveness{Problem: err.Error(), Remedy: "handoff setup " + c.Name + " --http URL, with the address of handoff serve --http"}
	case errors.Is(err, live.ErrRefused):
		return &liveness{Problem: err.Error(), Remedy: "handoff token add NAME --agents " + c.Name + " on the server, and --token-env"}
	case err != nil:
		return &liveness{Problem: err.Error(), Remedy: "handoff serve --http HOST:PORT on the machine of " + server.URL}
	}
	return &liveness{Answer: answer}
}
