package relay_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools/relay"
)

// Answers of an owner to requests of other programs.

// requestStatus makes a request without a relay, as another program would, and returns the status of the response.
func (w world) requestStatus(method, path, body string, header http.Header) (status int) {
	w.t.Helper()
	n, ok := relay.ReadNote(w.dir)
	require.True(w.t, ok)
	door := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, n.Address.Network, n.Address.Addr)
		},
	}}
	r, err := http.NewRequestWithContext(w.t.Context(), method, "http://owner"+path, strings.NewReader(body))
	require.NoError(w.t, err)
	r.Header = header
	rs, err := door.Do(r)
	require.NoError(w.t, err)
	require.NoError(w.t, rs.Body.Close())
	return rs.StatusCode
}

func TestOwner_DoesNotBeginLateCall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a port answers nobody without its secret")
	}
	t.Parallel()
	w := newWorld(t)
	p := w.process()
	p.call("", "list_agents", `{}`)
	send := `{"id": "1", "caller": {"agent": "dev", "via": "stdio"}, "tool": "send_handoff",
		"args": {"to": "qa", "task": "Test it"}}`
	by := func(at time.Time) http.Header {
		return http.Header{"Handoff-Begin-By": {strconv.FormatInt(at.UnixMilli(), 10)}}
	}
	require.Equal(t, http.StatusConflict, w.requestStatus(http.MethodPost, "/1/call", send, by(time.Now().Add(-time.Second))))
	require.Zero(t, p.call("", "registry_newest", `{}`).Event)
	require.Equal(t, http.StatusOK, w.requestStatus(http.MethodPost, "/1/call", send, by(time.Now().Add(time.Minute))))
	require.NotZero(t, p.call("", "registry_newest", `{}`).Event)
}

func TestOwner_RefusesRequestWithoutCall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a port answers nobody without its secret")
	}
	t.Parallel()
	w := newWorld(t)
	w.process().call("", "list_agents", `{}`)
	require.Equal(t, http.StatusUnprocessableEntity, w.requestStatus(http.MethodPost, "/1/call", `{"id": 1`, nil))
	refused := w.requestStatus(http.MethodPost, "/yield", `{"version": "v1.0.0"}`, nil)
	require.Equal(t, http.StatusConflict, refused, "it has no version")
}

func TestOwner_PortNeedsSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.dir = filepath.Join(w.dir, strings.Repeat("long", 30))
	first, second := w.process(), w.process()
	first.send("Test it")
	n, ok := relay.ReadNote(w.dir)
	require.True(t, ok)
	require.Equal(t, "tcp", n.Address.Network, "no socket has so long a path")
	require.EqualValues(t, 1, second.claim())
	require.Equal(t, http.StatusUnauthorized, w.requestStatus(http.MethodGet, "/owner", "", nil))
	right := http.Header{"Authorization": {"Bearer " + n.Address.Secret}}
	require.Equal(t, http.StatusOK, w.requestStatus(http.MethodGet, "/owner", "", right))
}

func TestRelay_NamesOwnerOfOtherProtocol(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no sockets")
	}
	t.Parallel()
	for name, tt := range map[string]struct {
		protocol relay.VersionRange
		hint     string
	}{
		"a later one":    {relay.VersionRange{Min: 2, Max: 3}, "Install the newest handoff."},
		"an earlier one": {relay.VersionRange{}, "Restart the client"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serveAsOwner(relay.Note{PID: os.Getpid(), Version: "v9.0.0", Protocol: tt.protocol})
			_, err := w.process().try(t.Context(), "dev", "list_agents", `{}`)
			e := requireCodedError(t, err)
			require.Equal(t, schemas.Unavailable, e.Code)
			require.Contains(t, e.Message, "handoff v9.0.0 (pid "+strconv.Itoa(os.Getpid()))
			require.Contains(t, e.Hint, tt.hint)
		})
	}
}

// writeNote writes a note as an owner would.
func (w world) writeNote(n relay.Note) {
	w.t.Helper()
	content, err := json.Marshal(n)
	require.NoError(w.t, err)
	require.NoError(w.t, os.MkdirAll(w.dir, 0o700))
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, "owner.json"), content, 0o600))
}

// serveAsOwner answers requests as an owner with the note n would.
func (w world) serveAsOwner(n relay.Note) {
	n.Address = relay.Address{Network: "unix", Addr: w.dir + ".sock"}
	w.writeNote(n)
	l, err := net.Listen("unix", n.Address.Addr)
	require.NoError(w.t, err)
	handler := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(rw).Encode(n)
	})
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: handler}
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	w.t.Cleanup(func() {
		require.NoError(w.t, s.Close())
		require.ErrorIs(w.t, <-served, http.ErrServerClosed)
	})
}
