// Package delivery says in words what a session is to know of its mail, and speaks with the hooks of clients: programs
// that a client runs when something happens in a session, with an account of it on standard input, and whose answer
// its model reads.
//
// What there is to tell the mailbox decides, and that each thing is told once; see [schemas.NewsIn]. All that agents
// wrote is in quotes here, and called what it is: data. Nothing here touches a file or the network.
package delivery

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// Files tells an agent that can write a file, and needs nothing else, how it hands its work on: the agent's part of
// the Kelos TaskHandoff proposal. It is for a prompt or for AGENTS.md.
//
//go:embed files.md
var Files string

// answer is what a hook prints. Claude Code, Codex and Gemini CLI read the same form; Codex refuses other fields
// than it knows.
type answer struct {
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Adds     *adds  `json:"hookSpecificOutput,omitempty"`
}

// adds is what the model reads besides what happened.
type adds struct {
	At      string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Answer is what a hook prints on an event so that the client's model hears of n, or nothing.
func (a Account) Answer(e client.Event, of schemas.Agent, n schemas.NewsOut, workspace string) ([]byte, error) {
	var text string
	switch e {
	case client.SessionStart:
		text = Start(n, workspace)
	case client.Prompt, client.Tool:
		text = Mail(n)
	case client.Stop, client.SubagentStop:
		text = Reminder(n)
	case client.SessionEnd, client.Compact: // nobody reads on
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	if e == client.Stop || e == client.SubagentStop {
		return encoded(answer{Decision: "block", Reason: text})
	}
	return encoded(answer{Adds: &adds{At: a.name(e, of), Context: text}})
}

// name is that of the event in a client, which says so itself as a rule.
func (a Account) name(e client.Event, of schemas.Agent) string {
	if a.At != "" {
		return a.At
	}
	row, _ := client.Named(string(of))
	return row.Calling(e)
}

func encoded(v answer) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return b.Bytes(), nil
}
