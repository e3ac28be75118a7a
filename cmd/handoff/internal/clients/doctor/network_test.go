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

// site is a server that answers to these paths with these statuses, and remembers the token of the last request.
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

func TestExamineClient_ReportsTokenFaultsOfAddress(t *testing.T) {
	w := newWorld(t)
	url, token := site(t, map[string]int{"/mcp": 401})
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "`+url+`/mcp", "headers": {"Authorization": "Bearer ${env:TEAM_TOKEN}"}}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Warning, "TEAM_TOKEN is not set here", "read -rs TEAM_TOKEN && export TEAM_TOKEN")
	w.vars["TEAM_TOKEN"] = "secret"
	all := w.examine("cursor")
	require.Equal(t, "Bearer secret", *token)
	requireFinding(t, all, doctor.Error, "wants a token that it knows: handoff token add makes one", "read -rs TEAM_TOKEN")
	requireNone(t, all, "secret")
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "http://127.0.0.1:1/mcp"}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "no server answers at", "curl -i http://127.0.0.1:1/readyz")
}

func TestExamineClient_UsesTokenInHeader(t *testing.T) {
	for name, tt := range map[string]struct {
		client, path, text string
		status             int
		state              doctor.Severity
		says, remedy, sent string
	}{
		"is sent": {
			client: "cursor", path: ".cursor/mcp.json", text: `{"mcpServers": {"handoff": {"url": "URL", "headers": {"authorization": "bearer secret"}}}}`,
			state: doctor.Error, says: "does not answer as a server", remedy: "curl -i", sent: "Bearer secret",
		},
		"is not taken": {
			client: "claude-code", path: ".claude.json", text: `{"mcpServers": {"handoff": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer secret"}}}}`,
			status: 401, state: doctor.Error, says: "wants a token that it knows", remedy: "handoff setup claude-code --http URL --token-env HANDOFF_TOKEN", sent: "Bearer secret",
		},
		"is not taken of Codex": {
			client: "codex", path: ".codex/config.toml", text: "[mcp_servers.handoff]\nurl = 'URL'\nhttp_headers = { Authorization = 'Bearer secret', Handoff-Agent = 'qa' }\n",
			status: 401, state: doctor.Error, says: "wants a token that it knows", remedy: "handoff setup codex --http URL --token-env HANDOFF_TOKEN", sent: "Bearer secret",
		},
		"is for the client to ask": {
			client: "vscode", path: ".config/Code/User/mcp.json", text: `{"servers": {"handoff": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${input:token}"}}}}`,
			status: 401, state: doctor.Skipped, says: "is for the client to find",
		},
		"is none": {
			client: "cursor", path: ".cursor/mcp.json", text: `{"mcpServers": {"handoff": {"url": "URL"}}}`,
			status: 401, state: doctor.Error, says: "wants a token that it knows", remedy: "handoff setup cursor --http URL --token-env HANDOFF_TOKEN",
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

// A proxy may pass nothing but MCP.
func TestExamineClient_CallsServerBehindProxy(t *testing.T) {
	for name, tt := range map[string]struct {
		status       int
		state        doctor.Severity
		says, remedy string
	}{
		"passes MCP only":   {http.StatusOK, doctor.OK, "answers, with 2 tools", ""},
		"reaches no server": {http.StatusBadGateway, doctor.Error, "does not answer as a server of handoff: it answered 502 Bad Gateway", "curl -i http://127.0.0.1:"},
		"wants a token":     {http.StatusUnauthorized, doctor.Error, "wants a token that it knows", "handoff setup cursor --print"},
	} {
		t.Run(name, func(t *testing.T) {
			said := map[string]string{
				"server/discover": `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"handoff"}}}`,
				"tools/list":      `{"jsonrpc":"2.0","id":2,"result":{"tools":[{},{}]}}`,
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, said[r.Header.Get("Mcp-Method")])
			}))
			t.Cleanup(s.Close)
			w := newWorld(t)
			w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "`+s.URL+`/mcp?key=secret"}}}`)
			all := w.examine("cursor")
			requireFinding(t, all, tt.state, tt.says, tt.remedy)
			requireNone(t, all, "secret")
		})
	}
}

// The client's own variable names a certificate, so doctor trusts it where the client does.
func TestExamineClient_NamesVariableForCertificate(t *testing.T) {
	w := newWorld(t)
	s := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	w.write(".codex/config.toml", "[mcp_servers.handoff]\nurl = '"+s.URL+"/mcp?key=secret'\n")
	all := w.examine("codex")
	requireFinding(t, all, doctor.Error, "is not trusted here", "export CODEX_CA_CERTIFICATE=FILE")
	requireNone(t, all, "secret")
}
