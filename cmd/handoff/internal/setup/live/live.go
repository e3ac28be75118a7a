// Package live asks an MCP server what a client would ask it first: who it says the client is, and for its tools.
// That tells whether a configuration works before a client reads it.
package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// An Answer is what a server said.
type Answer struct {
	Name    string `json:"name"`    // of the server
	Version string `json:"version"` // of the server
	You     string `json:"you"`     // the sentence that tells the client who it is; empty: it said none
	Tools   int    `json:"tools"`
}

// answer is a JSON-RPC answer to any of our requests.
type answer struct {
	ID     int
	Result struct {
		ServerInfo   struct{ Name, Version string }
		Instructions string
		Tools        []json.RawMessage
		Meta         struct {
			ServerInfo struct{ Name, Version string } `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	Error *struct {
		Message string
	}
}

func read(text []byte) (a answer, err error) {
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("it answered with something else than MCP: %.80q", text)
	}
	if a.Error != nil {
		return a, errors.New(a.Error.Message)
	}
	return a, nil
}

// greeted takes up what a server says of itself and of us.
func (a *Answer) greeted(said answer) {
	about := cmp.Or(said.Result.ServerInfo, said.Result.Meta.ServerInfo) // which place it has is a matter of the revision
	a.Name, a.Version = about.Name, about.Version
	for line := range strings.Lines(said.Result.Instructions) {
		if strings.HasPrefix(line, "You ") {
			a.You = strings.TrimSpace(line)
			return
		}
	}
}

// ErrRefused says that a server wants another token, or one at all.
var ErrRefused = errors.New("it does not take the token")
