package doctor_test

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// site is a server that answers to these paths with these statuses, and remembers the token that it was given.
func site(t *testing.T, statuses map[string]int) (url string, token *string) {
	t.Helper()
	token = new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			*token = r.Header.Get("Authorization")
		}
		if status, known := statuses[r.URL.Path]; known {
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, token
}

func TestAnEntryThatLeadsElsewhere(t *testing.T) {
	w := newWorld(t)
	url, token := site(t, map[string]int{"/mcp": 401})
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "`+url+`/mcp", "headers": {"Authorization": "Bearer ${env:TEAM_TOKEN}"}}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Warning, "TEAM_TOKEN is not set here", "read -rs TEAM_TOKEN && export TEAM_TOKEN")
	w.vars["TEAM_TOKEN"] = "secret"
	all := w.examine("cursor")
	require.Equal(t, "Bearer secret", *token)
	requireFinding(t, all, doctor.Error, "does not take the token in TEAM_TOKEN: handoff token add makes one", "read -rs TEAM_TOKEN")
	requireNone(t, all, "secret")
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "http://127.0.0.1:1/mcp"}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "no server answers at", "handoff serve --http 127.0.0.1:1")
}

func TestAServerOnAnotherMachine(t *testing.T) {
	w := newWorld(t)
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "https://handoff.invalid/mcp"}}}`)
	requireRemedy(t, w.examine("cursor"), doctor.Error, "handoff serve --http starts one, on that machine", "curl -i https://handoff.invalid/healthz")
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "http://localhost:1/mcp"}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "no server answers at http://localhost:1", "handoff serve --http localhost:1")
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "https://127.0.0.1:1/mcp"}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "no server answers at https://127.0.0.1:1", "curl -i https://127.0.0.1:1/healthz")
}

func TestATokenThatIsWrittenOut(t *testing.T) {
	for name, tt := range map[string]struct {
		client, path, text string
		status             int
		state              doctor.State
		says, remedy, sent string
	}{
		"is sent": {
			client: "cursor", path: ".cursor/mcp.json", text: `{"mcpServers": {"handoff": {"url": "URL", "headers": {"authorization": "bearer secret"}}}}`,
			state: doctor.Error, says: "does not answer as a server", remedy: "curl -i", sent: "Bearer secret",
		},
		"is not taken": {
			client: "claude-code", path: ".claude.json", text: `{"mcpServers": {"handoff": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer secret"}}}}`,
			status: 401, state: doctor.Error, says: "does not take the token in ", remedy: "handoff setup claude-code --http URL --token-env HANDOFF_TOKEN --yes", sent: "Bearer secret",
		},
		"is not taken in one project": {
			client: "claude-code", path: ".claude.json", text: `{"projects": {"PROJECT": {"mcpServers": {"handoff": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer secret"}}}}}}`,
			status: 401, state: doctor.Error, says: "does not take the token in ", remedy: "claude mcp remove --scope local handoff", sent: "Bearer secret",
		},
		"is not taken of Codex": {
			client: "codex", path: ".codex/config.toml", text: "[mcp_servers.handoff]\nurl = 'URL'\nhttp_headers = { Authorization = 'Bearer secret', Handoff-Agent = 'qa' }\n",
			status: 401, state: doctor.Error, says: "does not take the token in ", remedy: "handoff setup codex --http URL --token-env HANDOFF_TOKEN --agent qa --yes", sent: "Bearer secret",
		},
		"is for the client to ask": {
			client: "vscode", path: ".config/Code/User/mcp.json", text: `{"servers": {"handoff": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${input:token}"}}}}`,
			status: 401, state: doctor.Skipped, says: "is for the client to find",
		},
		"is none": {
			client: "cursor", path: ".cursor/mcp.json", text: `{"mcpServers": {"handoff": {"url": "URL"}}}`,
			status: 401, state: doctor.Error, says: "wants a token, and ", remedy: "handoff setup cursor --http URL --token-env HANDOFF_TOKEN --yes",
		},
		"is none, and setup writes no such": {
			client: "cursor", path: ".cursor/mcp.json", text: `{"mcpServers": {"handoff": {"serverUrl": "URL"}}}`,
			status: 401, state: doctor.Error, says: "wants a token, and ", remedy: "handoff setup cursor --print",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sent := ""
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/mcp" {
					sent = r.Header.Get("Authorization")
				}
				w.WriteHeader(cmp.Or(tt.status, 500))
				_, _ = io.WriteString(w, "you sent "+r.Header.Get("Authorization"))
			}))
			t.Cleanup(s.Close)
			w.write(tt.path, strings.NewReplacer("URL", s.URL+"/mcp", "PROJECT", w.bench.Machine.Project).Replace(tt.text))
			all := w.examine(tt.client)
			requireFinding(t, all, tt.state, tt.says, strings.ReplaceAll(tt.remedy, "URL", s.URL+"/mcp"))
			require.Equal(t, tt.sent, sent)
			requireNone(t, all, "secret")
		})
	}
}

// asked answers what is asked over MCP, and nothing else.
func asked(t *testing.T, statuses map[string]int) (url string) {
	t.Helper()
	said := map[string]string{
		"server/discover": `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"handoff"}}}`,
		"tools/list":      `{"jsonrpc":"2.0","id":2,"result":{"tools":[{},{}]}}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, known := statuses[r.URL.Path]; known {
			w.WriteHeader(status)
		} else if r.URL.Path != "/mcp" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, said[r.Header.Get("Mcp-Method")])
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestAServerBehindAProxy(t *testing.T) {
	for name, tt := range map[string]struct {
		statuses     map[string]int
		state        doctor.State
		says, remedy string
	}{
		"passes MCP only":     {nil, doctor.OK, "answers, with 2 tools", ""},
		"reaches no server":   {map[string]int{"/mcp": 502}, doctor.Error, "does not answer as a server of handoff: it answered 502 Bad Gateway", "curl -i http://127.0.0.1:"},
		"is well otherwise":   {map[string]int{"/mcp": 500, "/healthz": 200, "/readyz": 200}, doctor.Error, "does not answer as a server of handoff: it answered 500", "curl -i "},
		"cannot do its work":  {map[string]int{"/mcp": 500, "/healthz": 200, "/readyz": 503}, doctor.Error, "cannot do its work: 503", "/readyz"},
		"answers while it is": {map[string]int{"/healthz": 200, "/readyz": 503}, doctor.OK, "answers, with 2 tools", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "`+asked(t, tt.statuses)+`/mcp?key=secret"}}}`)
			all := w.examine("cursor")
			requireFinding(t, all, tt.state, tt.says, tt.remedy)
			requireNone(t, all, "secret")
		})
	}
}
