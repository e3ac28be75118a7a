package live

import (
	"bytes"
	"context"
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

// Ask asks the server twice, without a session.
func (d Address) Ask(ctx context.Context) (a Answer, err error) {
	said, err := d.post(ctx, 1, "server/discover")
	if err != nil {
		return a, err
	}
	a.greeted(said)
	if said, err = d.post(ctx, 2, "tools/list"); err != nil {
		return a, err
	}
	a.Tools = len(said.Result.Tools)
	return a, nil
}

const revision = "2026-07-28"

func (d Address) post(ctx context.Context, id int, method string) (answer, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},`+
		`"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"setup"}}}}`, id, method, revision, d.As)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	d.headers(request.Header, method)
	response, err := d.HTTP.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longest))
	switch {
	case err != nil:
		return answer{}, err
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return answer{}, fmt.Errorf("%w (%s)", ErrRefused, response.Status)
	case response.StatusCode >= http.StatusMultipleChoices:
		return answer{}, fmt.Errorf("it answered %s: %.200s", response.Status, bytes.TrimSpace(text))
	}
	return read(event(text))
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

// event gives the data of the last event, where a text is a stream of events.
func event(text []byte) []byte {
	if i := bytes.LastIndex(text, []byte("data:")); i >= 0 && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return text[i+len("data:"):]
	}
	return text
}
