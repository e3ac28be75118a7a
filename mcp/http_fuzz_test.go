package mcp_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
)

// unchangingInvoker is an Invoker that does nothing and never reports a change.
type unchangingInvoker struct{ idleInvoker }

func (unchangingInvoker) Changes(ctx context.Context, _ uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(func(schemas.RegistryChange, error) bool) { <-ctx.Done() }
}

// FuzzHTTP posts any bytes: the response has a status, and is JSON if its header says so.
func FuzzHTTP(f *testing.F) {
	endpoint := mcp.New(mcp.Config{
		Invoker: unchangingInvoker{}, Now: time.Now, NewRequestID: func() string { return "r" }, Caller: schemas.Caller{Via: schemas.ViaHTTP},
	}).NewEndpoint(mcp.HTTPConfig{Caller: callerOfBearer, Recheck: acceptAll, Challenge: unchallenged, Now: time.Now})
	f.Cleanup(func() { endpoint.Shutdown(context.Background()) })
	session := beginSessionID(f, endpoint)
	for _, body := range []string{
		initialize("qa", "2025-03-26"), ping(1), callRequest(1, "claim_handoff", claimAndWait), cancellation("1"), subscribe("handoff://inbox"),
		"[" + ping(1) + "," + cancellation("1") + ",7]", "{", "\xff", "7", `{"id":{}}`, `{"id":1,"result":{}}`, `{"id":1,"method":"prompts/get"}`,
	} {
		f.Add(body, "2025-03-26", session, "", "", "application/json")
	}
	for _, method := range []string{"server/discover", "tools/call", "resources/read", "subscriptions/listen", "completion/complete"} {
		body := modernRequest(1, method, `"name":"send_handoff","uri":"handoff://inbox","notifications":{"resourceSubscriptions":["handoff://inbox"]}`)
		f.Add(body, "2026-07-28", "", method, "send_handoff", "text/event-stream")
		f.Add(body, "2027-01-01", session, method, "=?base64?c2VuZF9oYW5kb2Zm?=", "")
	}
	f.Fuzz(func(t *testing.T, body, version, session, method, name, accept string) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond) // it ends streams
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
		for header, value := range map[string]string{
			"Content-Type": "application/json", "Mcp-Protocol-Version": version, "Mcp-Session-Id": session,
			"Mcp-Method": method, "Mcp-Name": name, "Accept": accept,
		} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		w := httptest.NewRecorder()
		endpoint.ServeHTTP(w, r)
		requireAnswered(t, w)
	})
}

// beginSessionID begins a session and returns its id.
func beginSessionID(f *testing.F, endpoint http.Handler) string {
	f.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(initialize("qa", "2025-03-26")))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	endpoint.ServeHTTP(w, r)
	return w.Header().Get("Mcp-Session-Id")
}

func requireAnswered(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	require.Contains(t, []int{200, 202, 400, 404, 406, 413, 415, 429}, w.Code)
	switch text := w.Body.String(); w.Header().Get("Content-Type") {
	case "application/json":
		require.True(t, json.Valid([]byte(text)), text)
	case "text/event-stream":
		for line := range strings.Lines(text) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				require.True(t, json.Valid([]byte(data)), text)
			}
		}
	default:
		require.Empty(t, text) // accepted, or there is no client for a response
	}
}
