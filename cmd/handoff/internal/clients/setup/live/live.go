// Package live asks an MCP server what a client would ask it first: who it is, who it says the client is, and for its
// tools. That tells whether a configuration works before a client reads it.
package live

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// An Reply is what a server said.
type Reply struct {
	Name    string `json:"name"`    // of the server
	Version string `json:"version"` // of the server
	You     string `json:"you"`     // the sentence that tells the client who it is; empty: it said none
	Tools   int    `json:"tools"`
}

// greeted takes up what a server says of itself and of us. The error is an [*Another].
func (a *Reply) greeted(said result) error {
	about := cmp.Or(said.ServerInfo, said.Meta.ServerInfo) // which place it has is a matter of the revision
	a.Name, a.Version = about.Name, about.Version
	if a.Name != client.ServerName {
		return &Another{a.Name}
	}
	for line := range strings.Lines(said.Instructions) {
		if strings.HasPrefix(line, "You ") {
			a.You = strings.TrimSpace(line)
			break
		}
	}
	return nil
}

// Another says that a server answers well, and is not handoff.
type Another struct {
	Name string // that it gives itself
}

func (a *Another) Error() string {
	return fmt.Sprintf("what answers is %.80q, and not handoff", a.Name)
}

// ErrRefused says that a server wants another token, or one at all.
var ErrRefused = errors.New("it does not take the token")

// errSilent says that a server ended instead of answering.
var errSilent = errors.New("it ended without an answer")
