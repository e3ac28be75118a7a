package doctor_test

import (
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
