package live_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/setup/live"
)

const (
	greeting = `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"handoff","version":"1.2.3"},"instructions":"About.\n\nYou are qa in workspace shop.\nMore."}}`
	listing  = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}]}}`
)

var both = live.ServerReply{Name: "handoff", Version: "1.2.3", You: "You are qa in workspace shop.", Tools: 2}

// address calls a server with a token, as qa.
func address(s *httptest.Server, token string) live.Trial {
	trial := live.Trial{As: "x", Token: token, HTTP: s.Client()}
	trial.Entry.URL, trial.Entry.Agent = s.URL, "qa"
	return trial
}

func TestAsk_CallsAddress(t *testing.T) {
	modern := strings.Replace(greeting, `"serverInfo":{"name":"handoff","version":"1.2.3"}`,
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"handoff","version":"1.2.3"}}`, 1)
	for _, said := range []string{greeting, modern} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for name, want := range map[string]string{"Authorization": "Bearer secret", "Handoff-Agent": "qa", "Accept": "application/json"} {
				if r.Header.Get(name) != want {
					w.WriteHeader(http.StatusUnauthorized)
				}
			}
			_, _ = io.WriteString(w, map[string]string{"server/discover": said, "tools/list": listing}[r.Header.Get("Mcp-Method")])
		}))
		defer s.Close()
		answer, err := address(s, "secret").Ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, both, answer)
	}
}

func TestAsk_OfBadAddressFails(t *testing.T) {
	for name, tt := range map[string]struct {
		status    int
		text, why string
	}{
		"no token":     {401, "nothing here", "does not take the token"},
		"bad token":    {403, "nothing here", "does not take the token"},
		"not there":    {404, "nothing here", "404 Not Found: nothing here"},
		"fails":        {500, "nothing here", "500 Internal Server Error: nothing here"},
		"is another":   {200, "nothing here", "something else than MCP"},
		"another":      {200, strings.Replace(greeting, `"handoff"`, `"files"`, 1), `the server is "files", and not handoff`},
		"nameless":     {200, `{"jsonrpc":"2.0","id":1,"result":{}}`, `the server is "", and not handoff`},
		"another's id": {200, listing, "is not a response to the request"},
		"refuses":      {200, `{"jsonrpc":"2.0","id":1,"error":{"message":"not today"}}`, "not today"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.text)
			}))
			defer s.Close()
			_, err := address(s, "").Ask(t.Context())
			require.ErrorContains(t, err, tt.why)
		})
	}
}

// A stream need not end, and handoff sends none to a client that accepts JSON alone.
func TestAsk_RefusesEventStream(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, "data: "+greeting+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	_, err := address(s, "").Ask(t.Context())
	require.ErrorContains(t, err, "a stream of events, and not as handoff")
}

// Proxies and frameworks repeat parts of a request in their errors.
func TestAsk_MasksTokenInErrors(t *testing.T) {
	const secret = "hoff_0123456789abcdefghijklmnopqrstuvwxyz"
	for name, tt := range map[string]struct {
		status int
		text   string
	}{
		"error page":     {500, "you sent Bearer " + secret},
		"something else": {200, strings.Repeat("x", 70) + secret},
		"cut off":        {404, strings.Repeat("x", 190) + secret},
		"error":          {200, `{"jsonrpc":"2.0","id":1,"error":{"message":"` + secret + `?"}}`},
		"escaped":        {200, `{"jsonrpc":"2.0","id":1,"error":{"message":"\u0068` + secret[1:] + `?"}}`},
		"name":           {200, `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"` + secret + `"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.text)
			}))
			defer s.Close()
			_, err := address(s, secret).Ask(t.Context())
			require.Error(t, err)
			require.NotContains(t, err.Error(), "hoff_01")
			require.Contains(t, err.Error(), "…")
		})
	}
}
