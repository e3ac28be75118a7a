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
)

// client is the way to an owner in another process.
type client struct {
	config Config
	note   Note // of the owner
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
	for {
		rs, err := c.post(ctx, pathCall, call)
		if err != nil {
			return nil, err
		}
		out, err := result(rs.StatusCode, rs.Body)
		_ = rs.Body.Close() // it was read
		if err == nil || !errors.Is(err, errBroken) || !c.again(ctx) {
			return out, c.why(ctx, err)
		}
	}
}

// Changes yields what the owner's stream brings.
func (c *client) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		defer c.await()() // who waits for changes hears of an owner that is stopped
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
		case err == nil && rs.StatusCode != statusLate:
			return rs, nil
		case err == nil:
			err = rs.Body.Close()
		case silent(ctx):
			<-patient.C // the caller is told when the owner would not begin the call any more
		}
		if err != nil && !c.again(ctx) {
			return nil, c.why(ctx, errBroken)
		}
	}
}

// again tells whether what broke off is to be repeated here: the owner is there, and only this request met
// with trouble. To look for another owner would cut all others.
func (c *client) again(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	if _, err := c.greet(ctx); err != nil {
		return false
	}
	select {
	case <-time.After(firstPause):
		return true
	case <-ctx.Done():
		return false
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
	cause := context.Cause(ctx)
	switch {
	case !errors.Is(err, errBroken) && !errors.Is(err, errMoved):
		return err
	case ctx.Err() == nil, errors.Is(cause, errMoved):
		return errMoved
	}
	if s, ok := errors.AsType[*silence](cause); ok {
		return s.explain(c.config)
	}
	return cutOff(ctx)
}
