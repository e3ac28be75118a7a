package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// A message is what a server says over JSON-RPC: a reply to one of our requests, or something else.
type message struct {
	ID     json.RawMessage
	Method string // of a request or a notification; empty in a reply
	Result result
	Error  *struct {
		Message string
	}
}

type result struct {
	ServerInfo   info
	Instructions string
	Tools        []json.RawMessage
	Meta         struct {
		ServerInfo info `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

type info struct{ Name, Version string }

// replyTo reads a message; ok tells whether it is the reply to the request with this id. An error without an id is:
// the server did not understand the request.
func replyTo(text []byte, id int) (r result, ok bool, err error) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return r, false, fmt.Errorf("it answered with something else than MCP: %.80q", text)
	}
	nobodys := m.Error != nil && (m.ID == nil || string(m.ID) == "null")
	switch {
	case m.Method != "" || string(m.ID) != strconv.Itoa(id) && !nobodys:
		return r, false, nil
	case m.Error != nil:
		return r, true, errors.New(m.Error.Message)
	}
	return m.Result, true, nil
}
