package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// An Address is a server that listens.
type Address struct {
	URL   string
	Token string // empty: none is sent
	Agent string // empty: the usual one of the token
	As    string // the name by which the client calls itself
	HTTP  *http.Client
}

// Ask asks the server twice, without a session. The token is masked in the reply and in the error, where the server
// may repeat it. The error is [ErrRefused] if the server does not take the token, and [*Another] if it is not
// handoff.
func (d Address) Ask(ctx context.Context) (r Reply, err error) {
	defer func() { err = d.hidden(err) }()
	said, err := d.post(ctx, 1, "server/discover")
	if err != nil {
		return r, err
	}
	if err := r.greeted(said); err != nil {
		return r, err
	}
	if said, err = d.post(ctx, 2, "tools/list"); err != nil {
		return r, err
	}
	r.Tools = len(said.Tools)
	return r, nil
}

const revision = "2026-07-28"

func (d Address) post(ctx context.Context, id int, method string) (result, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},`+
		`"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"setup"}}}}`, id, method, revision, d.As)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, strings.NewReader(body))
	if err != nil {
		return result{}, err
	}
	d.headers(request.Header, method)
	response, err := d.HTTP.Do(request)
	if err != nil {
		return result{}, err
	}
	defer response.Body.Close()
	return d.replied(response, id)
}

// replied reads the reply to the request with this id.
func (d Address) replied(response *http.Response, id int) (result, error) {
	switch {
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return result{}, fmt.Errorf("%w (%s)", ErrRefused, response.Status)
	case strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"): // which may have no end
		return result{}, errors.New("it answered with a stream of events, and not as handoff")
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, longest))
	text = d.hide(text)
	switch {
	case err != nil:
		return result{}, err
	case response.StatusCode >= http.StatusMultipleChoices:
		return result{}, fmt.Errorf("it answered %s: %.200s", response.Status, bytes.TrimSpace(text))
	}
	said, ok, err := replyTo(text, id)
	if err == nil && !ok {
		err = fmt.Errorf("it answered what it was not asked: %.80q", text)
	}
	return said, err
}

// headers accepts JSON alone: handoff then answers in JSON, and a stream of events need not be read.
func (d Address) headers(h http.Header, method string) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("Mcp-Protocol-Version", revision)
	h.Set("Mcp-Method", method)
	if d.Token != "" {
		h.Set("Authorization", "Bearer "+d.Token)
	}
	if d.Agent != "" {
		h.Set("Handoff-Agent", d.Agent)
	}
}
