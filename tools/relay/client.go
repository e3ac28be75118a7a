package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
)

// client is the endpoint of a route to an owner in another process. The relay makes one for each owner, and it ends
// with its route. It keeps up to 64 idle network connections for 90 seconds each.
type client struct {
	config   Config
	election Election
	note     Note // of the owner
	route    *route
	http     *http.Client

	holds sync.Map // functions that end the requests of open connections, by connection

	mu      sync.Mutex // guards the fields below
	waiting int        // calls without a result so far
	watched bool       // a timer will call watch; see heartbeat.go
}

func newClient(r *Relay, n Note) *client {
	cl := &client{
		config: r.config, election: r.election, note: n, route: newRoute(),
		http: &http.Client{Transport: remoteTransport},
	}
	cl.route.endpoint = cl
	if !n.Address.isRemote() {
		near := newTransport(func(ctx context.Context, _, _ string) (net.Conn, error) { return n.Address.dial(ctx) })
		cl.http.Transport = near
		context.AfterFunc(cl.route.life, near.CloseIdleConnections)
	}
	return cl
}

// remoteTransport reaches nodes of a cluster. All routes share it, since one node owns many workspaces.
var remoteTransport = newTransport((&net.Dialer{Timeout: answerTimeout}).DialContext)

func newTransport(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext: dial, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, DisableCompression: true,
	}
}

// Invoke sends a call to the owner. If the response breaks off, Invoke sends the call again under the same id. If the
// call opens a connection, its request stays open, see [client.holdConnection].
//
// It returns the errors of the tool, errMoved if the owner has ended, and unavailable if ctx ended or the owner does
// not answer.
func (c *client) Invoke(ctx context.Context, call tools.Call) (json.RawMessage, error) {
	defer c.trackCall()()
	if call.Tool == openTool {
		return c.holdConnection(ctx, call)
	}
	for {
		rs, err := c.post(ctx, pathCall, call)
		if err != nil {
			return nil, err
		}
		out, err := readResult(rs.StatusCode, rs.Body)
		_ = rs.Body.Close() // it was read to its end
		if err == nil || !errors.Is(err, errBroken) || !c.mayRetryHere(ctx) {
			return out, c.callError(ctx, err)
		}
	}
}

// Changes yields the changes that the owner sends. It yields an error once, as the last value: the error of the store,
// errMoved if the response broke off, or unavailable if ctx ended or the owner does not answer.
func (c *client) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(yield func(schemas.RegistryChange, error) bool) {
		defer c.trackCall()() // so that a follower notices a stopped owner
		if err := c.followChanges(ctx, after, yield); err != nil {
			yield(schemas.RegistryChange{}, c.callError(ctx, err))
		}
	}
}

func (c *client) followChanges(ctx context.Context, after uint64, yield func(schemas.RegistryChange, error) bool) error {
	rs, err := c.request(ctx, http.MethodGet, pathChanges+"?after="+strconv.FormatUint(after, 10), nil)
	if err != nil {
		return errMoved
	}
	defer rs.Body.Close()
	if rs.StatusCode != statusDone {
		_, err := readResult(rs.StatusCode, rs.Body)
		return err
	}
	for lines := json.NewDecoder(rs.Body); ; {
		var line changeMessage
		switch {
		case lines.Decode(&line) != nil:
			return errMoved
		case line.Error != nil:
			return line.Error
		case !yield(line.RegistryChange, nil):
			return nil
		}
	}
}

// post sends a call until the owner begins to run it. The caller closes the body of the response. Each call carries a
// begin-by time, after which the owner refuses to begin it. If the owner does not answer, post returns only after the
// begin-by time. So a call that is reported as failed never runs later.
//
// If the owner reads a call too late, post sends it again at once, with a new begin-by time. The status of the returned
// response is never statusLate.
func (c *client) post(ctx context.Context, path string, call tools.Call) (*http.Response, error) {
	body, err := json.Marshal(call)
	if err != nil {
		return nil, schemas.InternalError(err)
	}
	for {
		beginLimit := time.NewTimer(beginWithin)
		rs, err := c.request(ctx, http.MethodPost, path, body)
		switch {
		case err == nil && rs.StatusCode != statusLate:
			return rs, nil
		case err == nil:
			err = rs.Body.Close()
		case isStalled(ctx):
			<-beginLimit.C
		}
		if err != nil && !c.mayRetryHere(ctx) {
			return nil, c.callError(ctx, errBroken)
		}
	}
}

// mayRetryHere reports whether to repeat a broken request at this owner. It is true if the owner still answers, because
// then only this request failed. A search for another owner would cut off all other calls.
func (c *client) mayRetryHere(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	_, err := c.probe(ctx)
	return err == nil && platform.Sleep(ctx, firstPause)
}

// request makes one request, with the secret of the owner's note if the note has one. A POST carries its begin-by time,
// one second from now. The error comes from the HTTP transport.
func (c *client) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.note.Address.url()+path, bytes.NewReader(body)) //nolint:gosec,nolintlint // a note says where its owner is; not each run of the linter finds fault
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	if c.note.Address.Secret != "" {
		r.Header.Set("Authorization", "Bearer "+c.note.Address.Secret)
	}
	if method == http.MethodPost && !c.note.Address.isRemote() { // clocks of two machines differ
		r.Header.Set(beginBy, strconv.FormatInt(c.config.Now().Add(beginWithin).UnixMilli(), 10))
	}
	return c.http.Do(r) //nolint:gosec,nolintlint // likewise
}

// callError returns the error for a call without a result. The error depends on the cause: the caller gave up, the
// owner does not answer, or the owner has ended. Errors with any other cause stay unchanged.
func (c *client) callError(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case !errors.Is(err, errBroken) && !errors.Is(err, errMoved):
		return err
	case ctx.Err() == nil, errors.Is(cause, errMoved):
		return errMoved
	}
	if s, ok := errors.AsType[*stalledError](cause); ok {
		return c.election.StalledError(s.note)
	}
	return cutOffError(ctx)
}
