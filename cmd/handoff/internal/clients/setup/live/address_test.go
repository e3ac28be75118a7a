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

var both = live.Answer{Name: "handoff", Version: "1.2.3", You: "You are qa in workspace shop.", Tools: 2}

const plain, stream = "application/json", "text/event-stream; charset=utf-8"

func TestAnAddressIsAsked(t *testing.T) {
	for name, tt := range map[string]struct {
		kind string
		wrap func(string) string
	}{
		"JSON":   {plain, func(s string) string { return s }},
		"events": {stream, func(s string) string { return "event: message\ndata: " + s + "\n\n" }},
		"lines of DOS": {stream, func(s string) string {
			return "event: message\r\ndata: " + strings.ReplaceAll(s, `,"result"`, ",\r\ndata:\"result\"") + "\r\n\r\n"
		}},
		"among others": {stream, func(s string) string {
			return ": data: ping\n\nevent: endpoint\ndata: /messages\n\ndata: " + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n\n" +
				"id: 1\nretry: 10\ndata: " + s + "\n\n" + `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"data: none"}}` + "\n\n"
		}},
		"modern": {plain, func(s string) string {
			return strings.Replace(s, `"serverInfo":{"name":"handoff","version":"1.2.3"}`, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"handoff","version":"1.2.3"}}`, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Handoff-Agent") != "qa" {
					w.WriteHeader(http.StatusUnauthorized)
				}
				said := map[string]string{"server/discover": greeting, "tools/list": listing}
				_, _ = io.WriteString(w, tt.wrap(said[r.Header.Get("Mcp-Method")]))
			}))
			defer s.Close()
			answer, err := live.Address{URL: s.URL, Token: "secret", Agent: "qa", As: "x", HTTP: s.Client()}.Ask(t.Context())
			require.NoError(t, err)
			require.Equal(t, both, answer)
		})
	}
}

// A server need not end a stream when it has answered.
func TestAStreamIsReadNoFurtherThanTheAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", stream)
		said := map[string]string{"server/discover": greeting, "tools/list": listing}
		_, _ = io.WriteString(w, "data: "+said[r.Header.Get("Mcp-Method")]+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	answer, err := live.Address{URL: s.URL, HTTP: s.Client()}.Ask(t.Context())
	require.NoError(t, err)
	require.Equal(t, both, answer)
}

func TestAddressesThatDoNotAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		status     int
		kind, text string
		why        string
	}{
		"no token":     {401, plain, "nothing here", "does not take the token"},
		"bad token":    {403, stream, "nothing here", "does not take the token"},
		"not there":    {404, plain, "nothing here", "404 Not Found: nothing here"},
		"no stream":    {500, stream, "nothing here", "500 Internal Server Error: nothing here"},
		"is another":   {200, plain, "nothing here", "something else than MCP"},
		"another":      {200, plain, strings.Replace(greeting, `"handoff"`, `"files"`, 1), `what answers is "files", and not handoff`},
		"nameless":     {200, plain, `{"jsonrpc":"2.0","id":1,"result":{}}`, `what answers is "", and not handoff`},
		"another's id": {200, plain, listing, "what it was not asked"},
		"refuses":      {200, plain, `{"jsonrpc":"2.0","id":1,"error":{"message":"not today"}}`, "not today"},
		"in events":    {200, stream, `data: {"jsonrpc":"2.0","id":1,"error":{"message":"not today"}}` + "\n\n", "not today"},
		"no answer":    {200, stream, "data: " + listing + "\n\n", "it ended without an answer"},
		"breaks off":   {200, stream, "data: " + greeting + "\n", "it ended without an answer"},
		"other events": {200, stream, "data: hello\n\n", "something else than MCP"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.text)
			}))
			defer s.Close()
			_, err := live.Address{URL: s.URL, HTTP: s.Client()}.Ask(t.Context())
			require.ErrorContains(t, err, tt.why)
		})
	}
}

// Proxies and frameworks repeat in an error what they were sent.
func TestATokenIsNotRepeated(t *testing.T) {
	const secret = "hoff_0123456789abcdefghijklmnopqrstuvwxyz"
	for name, tt := range map[string]struct {
		status     int
		kind, text string
	}{
		"error page":     {500, plain, "you sent Bearer " + secret},
		"something else": {200, plain, strings.Repeat("x", 70) + secret},
		"cut off":        {404, plain, strings.Repeat("x", 190) + secret},
		"error":          {200, plain, `{"jsonrpc":"2.0","id":1,"error":{"message":"` + secret + `?"}}`},
		"escaped":        {200, plain, `{"jsonrpc":"2.0","id":1,"error":{"message":"\u0068` + secret[1:] + `?"}}`},
		"event":          {200, stream, `data: {"jsonrpc":"2.0","id":1,"error":{"message":"` + secret + `?"}}` + "\n\n"},
		"name":           {200, plain, `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"` + secret + `"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.text)
			}))
			defer s.Close()
			_, err := live.Address{URL: s.URL, Token: secret, HTTP: s.Client()}.Ask(t.Context())
			require.Error(t, err)
			require.NotContains(t, err.Error(), "hoff_01")
			require.Contains(t, err.Error(), "…")
		})
	}
}
