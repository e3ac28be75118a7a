package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// A message is what a server says over JSON-RPC: an answer of any kind that we ask for, or something else.
type message struct {
	ID     json.RawMessage
	Method string // of what is no answer, but a request or a notification
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

// answer reads a message; ok tells whether it answers the request with this id. So does one that says of no request
// that it was not understood.
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
