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

const revision = "2026-07-28"

func (t Trial) askAddress(ctx context.Context, id int, method string) (rpcResult, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},`+
		`"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"setup"}}}}`, id, method, revision, t.As)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Entry.URL, strings.NewReader(body))
	if err != nil {
		return rpcResult{}, err
	}
	t.setHeaders(request.Header, method)
	response, err := t.HTTP.Do(request)
	if err != nil {
		return rpcResult{}, err
	}
	defer response.Body.Close()
	return t.readReply(response, id)
}

// readReply reads the reply to the request with this id.
func (t Trial) readReply(response *http.Response, id int) (rpcResult, error) {
	switch {
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return rpcResult{}, fmt.Errorf("%w (%s)", ErrRefused, response.Status)
	case strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"): // a stream may have no end
		return rpcResult{}, errors.New("it answered with a stream of events, and not as handoff")
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxLine))
	text = t.maskToken(text)
	switch {
	case err != nil:
		return rpcResult{}, err
	case response.StatusCode >= http.StatusMultipleChoices:
		return rpcResult{}, fmt.Errorf("it answered %s: %.200s", response.Status, bytes.TrimSpace(text))
	}
	said, ok, err := parseReply(text, id)
	if err == nil && !ok {
		err = fmt.Errorf("its answer is not a response to the request: %.80q", text)
	}
	return said, err
}

// setHeaders sets the headers of a request. The request accepts only JSON, because this package reads no stream of
// events.
func (t Trial) setHeaders(h http.Header, method string) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("Mcp-Protocol-Version", revision)
	h.Set("Mcp-Method", method)
	if t.Token != "" {
		h.Set("Authorization", "Bearer "+t.Token)
	}
	if t.Entry.Agent != "" {
		h.Set("Handoff-Agent", t.Entry.Agent)
	}
}

// mask stands for the token.
const mask = "…"

// maskToken replaces the token in a text from the server by [mask]. Callers must not shorten the text before that: in a
// shortened text maskToken would not find a token that was cut off.
func (t Trial) maskToken(text []byte) []byte {
	if t.Token == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(t.Token), []byte(mask))
}

// maskTokenInError replaces the token in the text of an error. An error may quote a text (such as a header of the
// reply) in which the token is not masked yet.
func (t Trial) maskTokenInError(err error) error {
	if err == nil {
		return nil
	}
	return &maskedError{err, string(t.maskToken([]byte(err.Error())))}
}

type maskedError struct {
	error

	text string
}

func (w *maskedError) Error() string { return w.text }
func (w *maskedError) Unwrap() error { return w.error }
