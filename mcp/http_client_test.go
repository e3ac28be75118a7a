package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// httpClient is a client of a site. It sends its headers with each request.
type httpClient struct {
	t      *testing.T
	url    string
	http   *http.Client
	header http.Header
}

// newClient returns a client with a bearer token and connections of its own; If the token is empty, the client has
// none.
func (s *site) newClient(token string) *httpClient {
	c := &httpClient{t: s.t, url: s.http.URL, http: &http.Client{Transport: &http.Transport{DialContext: s.dial}}, header: http.Header{}}
	c.header.Set("Accept", "application/json, text/event-stream")
	c.header.Set("Content-Type", "application/json")
	if token != "" {
		c.header.Set("Authorization", "Bearer "+token)
	}
	s.t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// withHeaders returns the same client with other headers: names and values in turn. An empty value removes the header.
func (c *httpClient) withHeaders(header ...string) *httpClient {
	other := *c
	other.header = c.header.Clone()
	for i := 0; i < len(header); i += 2 {
		if other.header.Del(header[i]); header[i+1] != "" {
			other.header.Set(header[i], header[i+1])
		}
	}
	return &other
}

// beginSession begins a session of an older revision and returns the client of that session.
func (c *httpClient) beginSession(version string) *httpClient {
	c.t.Helper()
	got := c.post(initialize("claude-code", version))
	require.Equal(c.t, http.StatusOK, got.status, got.body)
	id := got.header.Get("Mcp-Session-Id")
	require.NotEmpty(c.t, id)
	return c.withHeaders("Mcp-Session-Id", id, "Mcp-Protocol-Version", version)
}

// response is an answer that was read to its end.
type response struct {
	status int
	header http.Header
	body   string
}

func (c *httpClient) request(ctx context.Context, method, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	if strings.Contains(body, `"io.modelcontextprotocol/protocolVersion"`) {
		copyToHeaders(r.Header, body)
	}
	return c.http.Do(r)
}

// copyToHeaders copies fields of a message of revision 2026-07-28 into the headers, except headers that the client has
// set.
func copyToHeaders(h http.Header, body string) {
	var m struct {
		Method string
		Params struct {
			Name, URI string
			Meta      map[string]any `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(body), &m) != nil {
		return
	}
	version, _ := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	for name, value := range map[string]string{
		"Mcp-Protocol-Version": version, "Mcp-Method": m.Method, "Mcp-Name": m.Params.Name + m.Params.URI,
	} {
		if _, said := h[name]; !said && value != "" {
			h.Set(name, value)
		}
	}
}

// tryRequest makes a request that may break off.
func (c *httpClient) tryRequest(ctx context.Context, method, body string) (response, error) {
	r, err := c.request(ctx, method, body)
	if err != nil {
		return response{}, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return response{r.StatusCode, r.Header, string(text)}, err
}

func (c *httpClient) send(method, body string) response {
	c.t.Helper()
	got, err := c.tryRequest(c.t.Context(), method, body)
	require.NoError(c.t, err)
	return got
}

func (c *httpClient) post(body string) response {
	c.t.Helper()
	return c.send(http.MethodPost, body)
}

// postForAnswer posts a request and returns the JSON response.
func (c *httpClient) postForAnswer(body string) answer {
	c.t.Helper()
	got := c.post(body)
	require.Equal(c.t, "application/json", got.header.Get("Content-Type"), got.body)
	return parse(c.t, got.body)
}

// outcome is the result of a request that the test did not wait for.
type outcome struct {
	response
	err error
}

// postAsync posts a request in a goroutine.
func (c *httpClient) postAsync(ctx context.Context, body string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		got, err := c.tryRequest(ctx, http.MethodPost, body)
		done <- outcome{got, err}
	}()
	return done
}

// stream is a response that goes on.
type stream struct {
	t      *testing.T
	begun  chan struct{} // closed when the next fields have their values
	header http.Header
	status int
	broken error

	events chan string // data of each event, and comments as they are; closed at the end
	leave  context.CancelFunc
	err    error // why it ended, when events is closed
}

// openStream makes a request and requires that the response is a stream.
func (c *httpClient) openStream(method, body string) *stream {
	c.t.Helper()
	s := c.startStream(method, body)
	<-s.begun
	require.NoError(c.t, s.broken)
	require.Equal(c.t, http.StatusOK, s.status)
	require.Equal(c.t, "text/event-stream", s.header.Get("Content-Type"))
	return s
}

// startStream makes a request for a stream and does not wait for the response.
func (c *httpClient) startStream(method, body string) *stream {
	ctx, leave := context.WithCancel(c.t.Context())
	c.t.Cleanup(leave)
	s := &stream{t: c.t, begun: make(chan struct{}), events: make(chan string, 10_000), leave: leave}
	go func() {
		defer close(s.events)
		r, err := c.request(ctx, method, body)
		if err != nil {
			s.broken = err
			close(s.begun)
			return
		}
		defer r.Body.Close()
		s.header, s.status = r.Header, r.StatusCode
		close(s.begun)
		s.err = s.read(r.Body)
	}()
	return s
}

func (s *stream) read(body io.Reader) error {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok || strings.HasPrefix(data, ":") {
			s.events <- data
		}
	}
	return lines.Err()
}

// nextEvent returns the next event, empty at the end.
func (s *stream) nextEvent() string {
	s.t.Helper()
	select {
	case event := <-s.events:
		return event
	case <-time.After(patience):
		require.Fail(s.t, "nothing comes")
		return ""
	}
}

// remainingEvents returns the remaining events until the stream ends.
func (s *stream) remainingEvents() (events []string) {
	s.t.Helper()
	for {
		event := s.nextEvent()
		if event == "" {
			return events
		}
		events = append(events, event)
	}
}

// eras are the two ways of HTTP, by the revision in which a client speaks.
var eras = []string{"2025-11-25", "2026-07-28"}

// joinedClient is a client of either era.
type joinedClient struct {
	*httpClient
	modern bool
}

func (s *site) join(era, token string) joinedClient {
	s.t.Helper()
	if era == "2026-07-28" {
		return joinedClient{s.newClient(token), true}
	}
	return joinedClient{s.newClient(token).beginSession(era), false}
}

// write writes a request of the client's era; params are members of an object.
func (m joinedClient) write(id int, method, params string) string {
	if m.modern {
		return modernRequest(id, method, params)
	}
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"` + method + `","params":{` + params + `}}`
}

func (m joinedClient) call(id int, tool, args string) string {
	return m.write(id, "tools/call", `"name":"`+tool+`","arguments":`+args)
}

// watch listens to a resource and gives the stream after its acknowledgement.
func (m joinedClient) watch(id int, uri string) *stream {
	m.t.Helper()
	if !m.modern {
		m.postForAnswer(m.write(id, "resources/subscribe", `"uri":"`+uri+`"`))
		return m.openStream(http.MethodGet, "")
	}
	s := m.openStream(http.MethodPost, m.write(id, "subscriptions/listen", `"notifications":{"resourceSubscriptions":["`+uri+`"]}`))
	require.Equal(m.t, "notifications/subscriptions/acknowledged", parse(m.t, s.nextEvent()).Method)
	return s
}
