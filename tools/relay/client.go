package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// client is the way to an owner in another process.
type client struct {
	config Config
	note   Note
	seat   *seat
	http   *http.Client

	mu      sync.Mutex                    // guards the fields below
	waiting int                           // calls without an answer
	watched bool                          // see pulse.go
	holds   map[string]context.CancelFunc // requests that hold connections open
}

func newClient(c Config, n Note) *client {
	transport := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return n.Address.dial(ctx) },
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
	}
	cl := &client{config: c, note: n, seat: newSeat(), http: &http.Client{Transport: transport}, holds: map[string]context.CancelFunc{}}
	cl.seat.way = cl
	context.AfterFunc(cl.seat.over, transport.CloseIdleConnections)
	return cl
}

// Invoke has a call done by the owner.
func (c *client) Invoke(ctx context.Context, call tools.Call) (json.RawMessage, error) {
	defer c.await()()
	rs, err := c.post(ctx, pathCall, call)
	if err != nil {
		return nil, err
	}
	defer rs.Body.Close()
	out, err := result(rs.StatusCode, rs.Body)
	return out, c.why(ctx, err)
}

// Changes yields what the owner's stream brings.
func (c *client) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		rs, err := c.request(ctx, http.MethodGet, pathChanges+"?after="+strconv.FormatUint(after, 10), nil)
		if err != nil {
			yield(schemas.Change{}, c.why(ctx, errMoved))
			return
		}
		defer rs.Body.Close()
		if rs.StatusCode != statusDone {
			_, err := result(rs.StatusCode, rs.Body)
			yield(schemas.Change{}, c.why(ctx, err))
			return
		}
		lines := json.NewDecoder(rs.Body)
		for {
			var line streamed
			switch {
			case lines.Decode(&line) != nil:
				yield(schemas.Change{}, c.why(ctx, errMoved))
				return
			case line.Error != nil:
				yield(schemas.Change{}, line.Error)
				return
			case !yield(line.Change, nil):
				return
			}
		}
	}
}

// hold opens a connection with a request that stays open. When the owner ends it, the seat is lost.
func (c *client) hold(ctx context.Context, call tools.Call) (json.RawMessage, error) {
	defer c.await()()
	stream, cut := c.seat.within(context.WithoutCancel(ctx))
	answered := context.AfterFunc(ctx, cut)   // until it is, the caller may give up
	rs, err := c.post(stream, pathHold, call) //nolint:bodyclose // closed by whoever reads it to the end, below
	if err != nil {
		cut()
		return nil, c.why(ctx, err)
	}
	out, err := firstLine(rs)
	if err != nil || !answered() {
		cut()
		return nil, errors.Join(c.why(ctx, err), rs.Body.Close())
	}
	c.keep(connOf(call), cut)
	go func() { // ends with the seat, at drop, or with the owner
		defer rs.Body.Close()
		_, _ = io.Copy(io.Discard, rs.Body) // nothing comes but the end
		if stream.Err() == nil {
			c.seat.lose(errMoved)
		}
	}()
	return out, nil
}

// firstLine reads the answer of a request that stays open.
func firstLine(rs *http.Response) (json.RawMessage, error) {
	if rs.StatusCode != statusDone {
		return result(rs.StatusCode, rs.Body)
	}
	line, err := bufio.NewReader(rs.Body).ReadBytes('\n')
	if err != nil {
		return nil, errMoved
	}
	return bytes.TrimSpace(line), nil
}

// keep notes how a held connection is let go of, and lets go of what held it before.
func (c *client) keep(conn string, cut context.CancelFunc) {
	c.mu.Lock()
	before := c.holds[conn]
	c.holds[conn] = cut
	c.mu.Unlock()
	if before != nil {
		before()
	}
}

func (c *client) drop(conn string) {
	c.mu.Lock()
	cut := c.holds[conn]
	delete(c.holds, conn)
	c.mu.Unlock()
	if cut != nil {
		cut()
	}
}

// post sends a call until the owner begins it. The caller closes the body of the response.
func (c *client) post(ctx context.Context, path string, call tools.Call) (*http.Response, error) {
	body, err := json.Marshal(call)
	if err != nil {
		return nil, schemas.InternalError(err)
	}
	for {
		patient := time.NewTimer(promptness)
		rs, err := c.request(ctx, http.MethodPost, path, body)
		switch {
		case err != nil:
			if silent(ctx) {
				<-patient.C // the caller is told when the owner would not begin the call any more
			}
			return nil, c.why(ctx, errMoved)
		case rs.StatusCode != statusLate:
			return rs, nil
		}
		if err := rs.Body.Close(); err != nil {
			return nil, c.why(ctx, errMoved)
		}
	}
}

func (c *client) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://owner"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	if c.note.Address.Secret != "" {
		r.Header.Set("Authorization", "Bearer "+c.note.Address.Secret)
	}
	if method == http.MethodPost {
		r.Header.Set(beginBy, strconv.FormatInt(c.config.Now().Add(promptness).UnixMilli(), 10))
	}
	return c.http.Do(r)
}

// why tells what ended a call that got no answer: its caller, an owner that is silent, or one that is gone.
func (c *client) why(ctx context.Context, err error) error {
	if !errors.Is(err, errMoved) || ctx.Err() == nil || errors.Is(context.Cause(ctx), errMoved) {
		return err
	}
	if s, ok := errors.AsType[*silence](context.Cause(ctx)); ok {
		return s.explain(c.config)
	}
	return cutOff(ctx)
}
