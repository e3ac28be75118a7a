package doctor_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/doctor"
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

func TestTheServerThatListensHere(t *testing.T) {
	network := func(served string) []doctor.Finding { return doctor.Network(t.Context(), served, http.DefaultClient) }
	require.Empty(t, network(""))
	requireFinding(t, network("http://"), doctor.Error, "no address", "export HANDOFF_HTTP=")
	requireFinding(t, network("127.0.0.1:1"), doctor.Warning, "no server answers at http://127.0.0.1:1", "handoff serve --http 127.0.0.1:1")
	ready, _ := site(t, nil)
	requireFinding(t, network(ready), doctor.OK, "is ready", "")
	ill, _ := site(t, map[string]int{"/readyz": 503})
	requireFinding(t, network(ill), doctor.Error, "cannot do its work: 503", "/readyz")
}

func TestAnEntryThatLeadsElsewhere(t *testing.T) {
	w := newWorld(t)
	url, token := site(t, map[string]int{"/mcp": 401})
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "`+url+`/mcp", "headers": {"Authorization": "Bearer ${env:TEAM_TOKEN}"}}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Warning, "TEAM_TOKEN is not set here", "export TEAM_TOKEN=TOKEN")
	w.vars["TEAM_TOKEN"] = "secret"
	all := w.examine("cursor")
	require.Equal(t, "Bearer secret", *token)
	requireFinding(t, all, doctor.Error, "does not take the token", "handoff token add NAME --agents cursor")
	for _, f := range all {
		require.NotContains(t, f.Message+f.Remedy, "secret")
	}
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "http://127.0.0.1:1/mcp"}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "no server answers at", "handoff serve --http")
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
