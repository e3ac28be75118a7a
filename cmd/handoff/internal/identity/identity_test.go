package identity_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/identity"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestCommandCaller_NameFromFlagEnvironmentOrTerminal(t *testing.T) {
	for name, tt := range map[string]struct {
		flag     string
		vars     map[string]string
		terminal bool
		agent    schemas.Agent
		run      string
	}{
		"named":                     {flag: "qa", agent: "qa"},
		"named human":               {flag: "human", agent: "human"},
		"nobody":                    {},
		"somebody at a terminal":    {terminal: true, agent: "human"},
		"Claude Code":               {vars: map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}, terminal: true, agent: "claude-code", run: "s1"},
		"Codex":                     {vars: map[string]string{"CODEX_THREAD_ID": "t1"}, agent: "codex", run: "t1"},
		"Codex in its sandbox":      {vars: map[string]string{"CODEX_SANDBOX": "seatbelt"}, agent: "codex"},
		"Gemini CLI":                {vars: map[string]string{"GEMINI_CLI": "1"}, agent: "gemini-cli"},
		"Kilo, built from opencode": {vars: map[string]string{"OPENCODE": "1", "KILO": "1"}, agent: "kilo"},
		"Qwen Code":                 {vars: map[string]string{"QWEN_CODE": "1", "QWEN_CODE_SESSION_ID": "q1"}, agent: "qwen-code", run: "q1"},
		"a subagent, named":         {flag: "qa", vars: map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}, agent: "qa", run: "s1"},
		"only the home of a client": {vars: map[string]string{"CODEX_HOME": "/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			by, err := identity.CommandCaller(tt.flag, func(name string) string { return tt.vars[name] }, tt.terminal)
			require.NoError(t, err)
			require.Equal(t, schemas.Caller{Agent: tt.agent, AgentID: tt.run, Via: schemas.ViaCLI}, by)
		})
	}
}

func TestCommandCaller_RefusesReservedNames(t *testing.T) {
	for name, code := range map[string]schemas.Code{"system": schemas.Denied, "a b": schemas.Invalid} {
		_, err := identity.CommandCaller(name, func(string) string { return "" }, false)
		require.Equal(t, code, schemas.AsError(err).Code)
	}
}

func TestNoNameError_HasRemedy(t *testing.T) {
	require.Contains(t, schemas.AsError(identity.NoNameError()).Hint, "HANDOFF_AGENT")
}

func TestAgentOfClient_MatchesItsShell(t *testing.T) {
	for client, want := range map[string]schemas.Agent{
		"claude-code": "claude-code", "codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini-cli", "cursor-vscode": "cursor",
	} {
		agent, ok := identity.AgentOfClient(client)
		require.True(t, ok)
		require.Equal(t, want, agent)
	}
	_, ok := identity.AgentOfClient("somebody-else")
	require.False(t, ok)
}

func TestServerCaller_HasSessionOfClient(t *testing.T) {
	vars := map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
	getenv := func(name string) string { return vars[name] }

	by, err := identity.ServerCaller("", getenv)
	require.NoError(t, err)
	require.Equal(t, schemas.Caller{AgentID: "s1", Via: schemas.ViaStdio}, by)

	_, err = identity.ServerCaller("human", getenv)
	require.Equal(t, schemas.Denied, schemas.AsError(err).Code)
}

func TestParentClientProcess_MatchesShell(t *testing.T) {
	vars := map[string]string{"CLAUDE_PID": strconv.Itoa(os.Getpid())} // processes of the client inherit it
	getenv := func(name string) string { return vars[name] }
	for agent, known := range map[schemas.Agent]bool{"claude-code": true, "gemini-cli": false, "codex": false, "opencode": false} {
		require.Equal(t, known, identity.ClientProcess(agent, getenv) != "", agent)
		require.Equal(t, identity.ClientProcess(agent, getenv), identity.ParentClientProcess(agent, os.Getpid()), agent)
	}
}

func TestSessionID_IgnoresOtherClients(t *testing.T) {
	vars := map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"} // processes of the client inherit them
	getenv := func(name string) string { return vars[name] }
	for agent, want := range map[schemas.Agent]string{"claude-code": "s1", "gemini-cli": "", "codex": "", "opencode": ""} {
		require.Equal(t, want, identity.SessionID(agent, getenv), agent)
	}
}
