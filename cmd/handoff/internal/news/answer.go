package news

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"handoff/schemas"
)

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
func (a Account) Answer(e Event, client schemas.Agent, n schemas.NewsOut, workspace string) ([]byte, error) {
	var text string
	switch e {
	case SessionStart:
		text = Start(n, workspace)
	case Prompt, Tool:
		text = Mail(n)
	case Stop, SubagentStop:
		text = Reminder(n)
	case SessionEnd, Compact: // nobody reads on
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	if e == Stop || e == SubagentStop {
		return encoded(answer{Decision: "block", Reason: text})
	}
	return encoded(answer{Adds: &adds{At: a.name(e, client), Context: text}})
}

// name is that of the event in a client, which says so itself as a rule.
func (a Account) name(e Event, client schemas.Agent) string {
	if a.At != "" {
		return a.At
	}
	if names, ok := ofClients[client]; ok {
		return names[e]
	}
	return elsewhere[e]
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
