//go:build unix

package network_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// A bare client sends exactly the given messages.
type bare struct {
	v       *server
	era     string
	secret  string
	session string // of the older era
	header  http.Header
	http    *http.Client
}

// bare is a client of an era over connections of its own; one of the older era has a session.
func (v *server) bare(secret, era string) *bare {
	v.t.Helper()
	connections := &http.Transport{MaxIdleConnsPerHost: 256}
	v.t.Cleanup(connections.CloseIdleConnections)
	b := &bare{v: v, era: era, secret: secret, header: http.Header{}, http: &http.Client{Transport: connections}}
	if era != older {
		return b
	}
	hello := said{"protocolVersion": era, "capabilities": said{}, "clientInfo": said{"name": "bare", "version": "1"}}
	resp, err := b.post(v.ctx, b.message(1, "initialize", hello))
	require.NoError(v.t, err)
	read(v.t, resp, http.StatusOK)
	b.session = resp.Header.Get(sdk.HeaderSessionID)
	require.NotEmpty(v.t, b.session)
	return b
}

// as returns a bare client with one change.
func (b *bare) as(change func(*bare)) *bare {
	other := *b
	other.header = b.header.Clone()
	change(&other)
	return &other
}

// said is an object of JSON.
type said map[string]any

// message makes a request, or a notification where id is nil.
func (b *bare) message(id any, method string, params said) said {
	m := said{"jsonrpc": "2.0", "method": method}
	if id != nil {
		m["id"] = id
	}
	if b.era == newer {
		params = maps.Clone(params)
		if params == nil {
			params = said{}
		}
		params["_meta"] = said{
			sdk.MetaKeyProtocolVersion: newer, sdk.MetaKeyClientCapabilities: said{},
			sdk.MetaKeyClientInfo: said{"name": "bare", "version": "1"},
		}
	}
	if params != nil {
		m["params"] = params
	}
	return m
}

// post sends a message. The caller reads the response.
func (b *bare) post(ctx context.Context, m said) (*http.Response, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.v.url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	b.dress(r)
	if b.era == newer {
		r.Header.Set(sdk.HeaderMethod, m["method"].(string))
		if params, ok := m["params"].(said); ok {
			if name, ok := params["name"].(string); ok {
				r.Header.Set(sdk.HeaderName, name)
			}
		}
	}
	return b.http.Do(r)
}

// dress puts the headers of this client on a request.
func (b *bare) dress(r *http.Request) {
	r.Header = b.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if b.secret != "" {
		r.Header.Set("Authorization", "Bearer "+b.secret)
	}
	if b.session != "" {
		r.Header.Set(sdk.HeaderSessionID, b.session)
	}
	if b.session != "" || b.era == newer {
		r.Header.Set(sdk.HeaderProtocolVersion, b.era)
	}
	if host := b.header.Get("Host"); host != "" {
		r.Host = host
	}
}

// listen opens the stream of a session of the older era.
func (b *bare) listen(ctx context.Context) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.v.url, http.NoBody)
	if err != nil {
		return nil, err
	}
	b.dress(r)
	return b.http.Do(r)
}

// call is the message that calls a tool.
func (b *bare) call(id any, tool string, args said) said {
	return b.message(id, "tools/call", said{"name": tool, "arguments": args})
}

// read reads a response to its end, which has to have a status.
func read(t require.TestingT, resp *http.Response, status int) string {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, status, resp.StatusCode, string(body))
	return string(body)
}

// An answer is a response of JSON-RPC.
type answer struct {
	ID     json.RawMessage
	Result *struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

// answered reads the answer in a body, whether it is one or the last event of a stream.
func answered(body string) (a answer, err error) {
	if strings.HasPrefix(body, "event:") || strings.HasPrefix(body, ":") {
		body = body[strings.LastIndex(body, "\ndata: ")+len("\ndata: "):]
	}
	return a, json.Unmarshal([]byte(body), &a)
}

// dial opens a bare connection and says something.
func (v *server) dial(text string) net.Conn {
	v.t.Helper()
	conn, err := new(net.Dialer).DialContext(v.ctx, "tcp", v.addr)
	require.NoError(v.t, err)
	v.t.Cleanup(func() { _ = conn.Close() })
	until, _ := v.ctx.Deadline()
	require.NoError(v.t, conn.SetDeadline(until))
	_, err = io.WriteString(conn, text)
	require.NoError(v.t, err)
	return conn
}

// hears reads all that comes over a connection until the server closes it, which it has to within a time.
func hears(conn net.Conn, within time.Duration) (string, error) {
	if err := conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return string(text), fmt.Errorf("the server left the connection open for %v: %w", within, err)
	}
	return string(text), nil // however it closed it
}
