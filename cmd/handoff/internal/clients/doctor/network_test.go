package doctor_test

import (
	"cmp"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
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

// networked is what is found of the server that HANDOFF_HTTP and HANDOFF_TLS_CERT tell of.
func networked(t *testing.T, at, cert string) []doctor.Finding {
	t.Helper()
	return doctor.Network(t.Context(), doctor.Served{At: at, Cert: cert}, http.DefaultClient, doctor.Shell{Place: " --workspace w"})
}

// guarded answers as handoff does: only those who ask for an address of this machine.
var guarded = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	if at, err := netip.ParseAddr(host); err != nil || !at.IsLoopback() {
		w.WriteHeader(http.StatusForbidden)
	}
})

func portOf(t *testing.T, s *httptest.Server) string {
	t.Helper()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	return port
}

func TestAServerAtAllAddressesIsAskedHere(t *testing.T) {
	s := httptest.NewServer(guarded)
	t.Cleanup(s.Close)
	port := portOf(t, s)
	for _, at := range []string{":" + port, "0.0.0.0:" + port, "localhost:" + port, "LOCALHOST:" + port, "127.0.0.1:" + port} {
		requireFinding(t, networked(t, at, ""), doctor.OK, "the server at http://127.0.0.1:"+port+" is ready", "")
	}
	s.Close()
	requireRemedy(t, networked(t, ":"+port, ""), doctor.Warning, "no server answers at http://127.0.0.1:"+port, "handoff serve --http 127.0.0.1:"+port+" --workspace w")
}

func TestAServerWithACertificateIsAskedOverTLS(t *testing.T) {
	s := httptest.NewTLSServer(guarded)
	t.Cleanup(s.Close)
	port, cert := portOf(t, s), filepath.Join(t.TempDir(), "cert.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	requireFinding(t, networked(t, ":"+port, cert), doctor.OK, "the server at https://127.0.0.1:"+port+" is ready", "")
	requireFinding(t, networked(t, "https://127.0.0.1:"+port, cert), doctor.OK, "is ready", "")
	requireFinding(t, networked(t, "https://127.0.0.1:"+port, ""), doctor.Error, "is not trusted: ", "curl -i https://127.0.0.1:"+port+"/healthz")
	requireFinding(t, networked(t, ":"+port, ""), doctor.Warning, "does not say that it is well: 400", "curl -i http://127.0.0.1:"+port+"/healthz")
	requireFinding(t, networked(t, ":"+port, "/nowhere/cert.pem"), doctor.Error, "HANDOFF_TLS_CERT: open /nowhere/cert.pem", "")
	require.NoError(t, os.WriteFile(cert, []byte("no certificate"), 0o600))
	requireFinding(t, networked(t, ":"+port, cert), doctor.Error, "cert.pem holds no certificate", "")
	s.Close()
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	requireRemedy(t, networked(t, ":"+port, cert), doctor.Warning, "no server answers at https://", "handoff serve --http :"+port+" --workspace w")
}

func TestTheServerThatListensHere(t *testing.T) {
	network := func(served string) []doctor.Finding { return networked(t, served, "") }
	require.Empty(t, network(""))
	for _, none := range []string{"http://", "4263", "::"} {
		requireFinding(t, network(none), doctor.Error, "HANDOFF_HTTP is no address", "export HANDOFF_HTTP=127.0.0.1:4263")
	}
	requireFinding(t, network("127.0.0.1:1"), doctor.Warning, "no server answers at http://127.0.0.1:1", "handoff serve --http 127.0.0.1:1")
	ready, _ := site(t, nil)
	requireFinding(t, network(ready), doctor.OK, "is ready", "")
	ill, _ := site(t, map[string]int{"/readyz": 503})
	requireFinding(t, network(ill), doctor.Error, "cannot do its work: 503", "/readyz")
	another, _ := site(t, map[string]int{"/healthz": 403})
	requireFinding(t, network(another), doctor.Warning, "does not say that it is well: 403 Forbidden", "curl -i "+another+"/healthz")
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
	for _, f := range all {
		require.NotContains(t, f.Message+f.Remedy, "secret")
	}
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
			for _, f := range all {
				require.NotContains(t, f.Message+f.Remedy, "secret")
			}
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
			for _, f := range all {
				require.NotContains(t, f.Message+f.Remedy, "secret")
			}
		})
	}
}

// A variable may be named without braces, as Gemini CLI has it.
func TestTheTokenOfAnAddress(t *testing.T) {
	w := newWorld(t)
	url, token := site(t, nil)
	w.vars["HANDOFF_TOKEN"] = "secret"
	w.write(".gemini/settings.json", `{"mcpServers": {"handoff": {"url": "`+url+`/mcp", "type": "http", "headers": {"Authorization": "Bearer $HANDOFF_TOKEN"}}}}`)
	w.examine("gemini")
	require.Equal(t, "Bearer secret", *token)
}
