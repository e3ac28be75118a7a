package live

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
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

// Ask asks the server twice, without a session. A token that it repeats is masked in the answer and in the error.
func (d Address) Ask(ctx context.Context) (a Answer, err error) {
	defer func() { err = d.hidden(err) }()
	said, err := d.post(ctx, 1, "server/discover")
	if err != nil {
		return a, err
	}
	if err := a.greeted(said); err != nil {
		return a, err
	}
	if said, err = d.post(ctx, 2, "tools/list"); err != nil {
		return a, err
	}
	a.Tools = len(said.Tools)
	return a, nil
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
	return d.answered(response, id)
}

// answered reads the answer to a request, as JSON or from a stream of events.
func (d Address) answered(response *http.Response, id int) (result, error) {
	body := io.LimitReader(response.Body, longest)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return result{}, fmt.Errorf("%w (%s)", ErrRefused, response.Status)
	case response.StatusCode < http.StatusMultipleChoices && kind == "text/event-stream":
		said, err := d.amongEvents(body, id)
		if err != nil {
			err = cmp.Or(response.Request.Context().Err(), err)
		}
		return said, err
	}
	text, err := io.ReadAll(body)
	text = d.hide(text)
	switch {
	case err != nil:
		return result{}, err
	case response.StatusCode >= http.StatusMultipleChoices:
		return result{}, fmt.Errorf("it answered %s: %.200s", response.Status, bytes.TrimSpace(text))
	}
	said, ok, err := answer(text, id)
	if err == nil && !ok {
		err = fmt.Errorf("it answered what it was not asked: %.80q", text)
	}
	return said, err
}

// amongEvents looks for the answer to a request in a stream. What else the server says there is passed over.
func (d Address) amongEvents(stream io.Reader, id int) (result, error) {
	why := errSilent
	for data := range events(stream) {
		said, ok, err := answer(d.hide(data), id)
		if ok {
			return said, err
		}
		why = cmp.Or(err, why)
	}
	return result{}, why
}

func (d Address) headers(h http.Header, method string) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("Mcp-Protocol-Version", revision)
	h.Set("Mcp-Method", method)
	if d.Token != "" {
		h.Set("Authorization", "Bearer "+d.Token)
	}
	if d.Agent != "" {
		h.Set("Handoff-Agent", d.Agent)
	}
}
