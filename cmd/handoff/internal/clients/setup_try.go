package clients

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/workspace"
)

// A serverTrial is the answer of a server that setup called.
type serverTrial struct {
	live.ServerReply

	Untried string `json:"not_tried,omitempty"` // why
	Problem string `json:"problem,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// tryTimeout is the time that a server has to answer.
const tryTimeout = 15 * time.Second

// tryServers starts or calls the server of each client that is set up, as the client would.
func (s *setupRun) tryServers(ctx context.Context) {
	for _, c := range s.clients {
		if server, ok := c.desired.FindEntry(c.Client); ok && c.Files[0].State != fileLeftAlone {
			end := s.ShowProgress("trying the server of " + c.Title)
			c.Live = s.tryServer(ctx, c, server)
			end()
		}
	}
}

// tryServer starts or calls the server of an entry and sends it a client's first requests. The server sees the client's
// MCP name. Outside of a project, for example in the home directory, tryServer starts the program in another directory,
// and removes the name of the workspace from the reply.
func (s *setupRun) tryServer(ctx context.Context, c *clientSetup, server installed.ServerEntry) *serverTrial {
	if server.Shared && !server.IsWrittenBySetup(c.desired.Server, s.setter.WithLastOptions(c.Client, c.desired).Server) {
		return &serverTrial{Untried: "it is not what setup writes"}
	}
	token := s.Getenv(server.TokenEnv)
	if server.TokenEnv != "" && token == "" {
		return &serverTrial{
			Problem: server.TokenEnv + " is not set here",
			Remedy:  "export " + server.TokenEnv + "=… where the client is started, and handoff setup --check",
		}
	}
	m := s.base.Machine
	_, err := workspace.Find(workspace.Config{Cwd: m.Project, Getenv: s.getenvWithoutProject})
	asked := live.Trial{Machine: m, As: c.MCPName, Entry: server.ListedServer, Nowhere: err != nil, Token: token}
	asked.HTTP = newHTTPClient(m, c.Client)
	ctx, end := context.WithTimeout(ctx, tryTimeout)
	defer end()
	reply, err := asked.Ask(ctx)
	if err != nil {
		return &serverTrial{Problem: err.Error(), Remedy: s.trialRemedy(c, server, err)}
	}
	if asked.Nowhere && server.URL == "" {
		reply.You, _, _ = strings.Cut(reply.You, " in workspace ")
	}
	return &serverTrial{ServerReply: reply}
}

// trialRemedy returns a command or advice for a person whose server failed the trial with err.
func (s *setupRun) trialRemedy(c *clientSetup, server installed.ServerEntry, err error) string {
	_, another := errors.AsType[*live.NotHandoffError](err)
	switch {
	case server.URL != "" && another:
		return "handoff setup " + c.Name + " --http URL, with the address of handoff serve --http"
	case live.IsUntrusted(err):
		return c.TrustCommand() + ", with the certificate in FILE, and this command again"
	case errors.Is(err, live.ErrRefused):
		return "handoff token add NAME --agents " + c.Name + " on the server, and --token-env"
	case server.URL != "":
		return "handoff serve --http HOST:PORT on the machine of " + server.URL
	}
	program := server.Command[0]
	switch {
	case another:
		return shell.JoinWords([]string{"command", "-v", program})
	case s.base.Machine.ProgramPath(program) == "" && !filepath.IsAbs(program):
		if runtime.GOOS == "windows" {
			return "put " + filepath.Dir(s.Executable) + " on PATH: Settings, Edit environment variables for your account"
		}
		return "put " + program + " on PATH, as with: ln -s " + shell.Quote(s.Executable) + " ~/.local/bin/" + program
	}
	return shell.JoinWords([]string{program, "where"}) // explains a problem with the workspace, if there is one
}

// getenvWithoutProject returns a variable of the environment. It hides the variables that name the project of a client
// session, because setup may run in the shell of a session in another project.
func (s *setupRun) getenvWithoutProject(name string) string {
	if slices.Contains(client.ProjectVariables(), name) {
		return ""
	}
	return s.Getenv(name)
}
