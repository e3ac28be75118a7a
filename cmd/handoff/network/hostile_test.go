//go:build unix

package network_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
)

// TestServer_HostileClientsHinderNoOther runs all kinds of hostile clients while a usual client works. The server must
// refuse or survive each hostile client, and the usual client must succeed.
func TestServer_HostileClientsHinderNoOther(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := &hostility{good: s.token("good", "good", "--rate", "100000"), bad: s.token("bad", "bad,worse", "--rate", "100000")}
	revoked := s.token("old", "old")
	s.must("token", "revoke", "old")
	h.server = s.serve()
	work := h.work()

	h.slow(t)
	h.strangers(t, revoked)
	h.pretenders(t)
	h.tooMuch(t)
	h.deceitful(t)
	h.garbage(t)
	h.patient.Wait()
	t.Logf("beside 500 requests of garbage, %d that lie about themselves and %d that wait and trickle: %s",
		len(lies("")), idlers, work.end(t))
	require.Empty(t, h.survived)
	s.verify()
	took := h.stop()
	t.Logf("and it ended in %v, with the slow ones connected", took.Round(time.Millisecond))
	require.Less(t, took, 2*time.Second)
}

// hostility is a server and its hostile clients.
type hostility struct {
	*server
	good, bad string // secrets

	patient  sync.WaitGroup // slow clients
	mu       sync.Mutex     // guards the field below
	survived []error        // results of slow clients
}

// later runs a slow client in the background. An error fails the test in the end.
func (h *hostility) later(do func() error) {
	h.patient.Go(func() {
		if err := do(); err != nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.survived = append(h.survived, err)
		}
	})
}

// labour is the work of the good client.
type labour struct {
	cancel context.CancelFunc
	err    chan error
	laps   laps
}

const bearable = 5 * time.Second // for a send, a claim and a completion

// work begins the work of the good client, which goes on until it is ended.
func (h *hostility) work() *labour {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.ctx)
	w := &labour{cancel: cancel, err: make(chan error, 1)}
	good := h.mustJoin(h.good, "", older)
	go func() {
		for ctx.Err() == nil {
			began := time.Now()
			bounded, done := context.WithTimeout(h.ctx, bearable)
			err := good.cycle(bounded, "good")
			done()
			if err != nil {
				w.err <- fmt.Errorf("the good client, after %d cycles: %w", len(w.laps), err)
				return
			}
			w.laps.add(began)
		}
		w.err <- nil
	}()
	h.t.Cleanup(cancel)
	return w
}

func (w *labour) end(t *testing.T) string {
	t.Helper()
	w.cancel()
	require.NoError(t, <-w.err)
	return fmt.Sprintf("%d cycles of the good client, p50 %.1f ms, p99 %.1f ms, worst %.1f ms",
		len(w.laps), ms(w.laps.at(0.5)), ms(w.laps.at(0.99)), ms(w.laps.at(1)))
}

// strangers are those whom the server need not know.
func (h *hostility) strangers(t *testing.T, revoked string) {
	t.Helper()
	own := "http://" + h.addr
	b := h.bare(h.good, newer)
	strange := auth.NewSecret(rand.Reader) // well formed, and nobody's
	spoilt := h.good[:len(h.good)-1] + "-"
	for name, c := range map[string]struct {
		change func(*bare)
		status int
	}{
		"own origin":           {func(b *bare) { b.header.Set("Origin", own) }, 200},
		"foreign origin":       {func(b *bare) { b.header.Set("Origin", "http://evil.test") }, 403},
		"no origin in name":    {func(b *bare) { b.header.Set("Origin", "null") }, 403},
		"similar origin":       {func(b *bare) { b.header.Set("Origin", own+".evil.test") }, 403},
		"foreign host":         {func(b *bare) { b.header.Set("Host", "evil.test") }, 403},
		"foreign host, port":   {func(b *bare) { b.header.Set("Host", "evil.test:80") }, 403},
		"similar host":         {func(b *bare) { b.header.Set("Host", "localhost.evil.test") }, 403},
		"no token":             {func(b *bare) { b.secret = "" }, 401},
		"misspelt token":       {func(b *bare) { b.secret = spoilt }, 401},
		"no kind of token":     {func(b *bare) { b.secret = "letmein" }, 401},
		"unknown token":        {func(b *bare) { b.secret = strange }, 401},
		"revoked token":        {func(b *bare) { b.secret = revoked }, 401},
		"name of another":      {func(b *bare) { b.header.Set("Handoff-Agent", "bad") }, 403},
		"name of nobody":       {func(b *bare) { b.header.Set("Handoff-Agent", "human") }, 403},
		"name that is no name": {func(b *bare) { b.header.Set("Handoff-Agent", "../../etc") }, 403},
	} {
		b := b.as(c.change)
		resp, err := b.post(h.ctx, b.call(1, "list_agents", said{}))
		require.NoError(t, err, name)
		if c.status == http.StatusUnauthorized {
			require.Contains(t, resp.Header.Get("WWW-Authenticate"), "Bearer", name)
		}
		read(t, resp, c.status)
	}
}

// pretenders have a good token, and act as others.
func (h *hostility) pretenders(t *testing.T) {
	t.Helper()
	for _, era := range eras {
		b := h.bare(h.bad, era)
		for _, name := range []string{"good", "human", "system"} {
			resp, err := b.post(h.ctx, b.call(1, "claim_handoff", said{"agent": name}))
			require.NoError(t, err)
			a, err := answered(read(t, resp, http.StatusOK))
			require.NoError(t, err)
			require.NotNil(t, a.Result)
			require.True(t, a.Result.IsError)
			require.Contains(t, a.Result.Content[0].Text, `"code":"denied"`)
		}
		other := b.as(func(b *bare) { b.header.Set("Handoff-Agent", "worse") })
		resp, err := other.post(h.ctx, other.call(1, "claim_handoff", said{}))
		require.NoError(t, err)
		read(t, resp, http.StatusOK)
	}
	stolen := h.bare(h.good, older).as(func(b *bare) { b.secret = h.bad }) // a session of another token
	resp, err := stolen.post(h.ctx, stolen.call(1, "list_agents", said{}))
	require.NoError(t, err)
	read(t, resp, http.StatusNotFound)
}

// tooMuch are requests that are too large.
func (h *hostility) tooMuch(t *testing.T) {
	t.Helper()
	const size = 10 << 20
	for name, body := range map[string]io.Reader{
		"with a length": strings.NewReader(strings.Repeat(" ", size)),
		"chunked":       io.LimitReader(blanks{}, size),
	} {
		b := h.bare(h.good, newer)
		r, err := http.NewRequestWithContext(h.ctx, http.MethodPost, h.url, body)
		require.NoError(t, err)
		b.dress(r)
		resp, err := b.http.Do(r)
		require.NoError(t, err, name)
		read(t, resp, http.StatusRequestEntityTooLarge)
	}
	b := h.bare(h.good, newer)
	wide := b.as(func(b *bare) { b.header.Set("X-Wide", strings.Repeat("x", 1<<20)) })
	resp, err := wide.post(h.ctx, wide.call(1, "list_agents", said{}))
	require.NoError(t, err)
	read(t, resp, http.StatusRequestHeaderFieldsTooLarge)
	for depth, status := range map[int]int{100: 200, 5_000: 200, 100_000: 400} {
		deep := strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
		for _, args := range []string{`{"to":"bad","task":"x","data":` + deep + `}`, `{"to":"bad","task":"x","context":{"state":` + deep + `}}`} {
			text := h.request(h.good, toolCall("send_handoff", args))
			got, err := hears(h.dial(text), 10*time.Second)
			require.NoError(t, err)
			require.Regexp(t, fmt.Sprintf(`^HTTP/1.1 %d `, status), got, "depth %d", depth)
		}
	}
}

// toolCall is the text of a call of the newer era.
func toolCall(tool, args string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + newer + `","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"bare","version":"1"}}}}`
}

// request is a call as it stands on the wire, after which the connection is closed.
func (h *hostility) request(secret, body string) string {
	_, after, _ := strings.Cut(body, `"name":"`)
	tool, _, _ := strings.Cut(after, `"`)
	return "POST /mcp HTTP/1.1\r\nHost: " + h.addr + "\r\nAuthorization: Bearer " + secret + "\r\nConnection: close\r\n" +
		"Content-Type: application/json\r\nMcp-Protocol-Version: " + newer + "\r\nMcp-Method: tools/call\r\nMcp-Name: " + tool + "\r\n" +
		fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body
}

// A body of blanks has no length and no end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
