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
	"io"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// Files tells an agent that can write a file, and needs nothing else, how it hands its work on: the agent's part of
// the Kelos TaskHandoff proposal. It is for a prompt or for AGENTS.md.
//
//go:embed files.md
var Files string

// answer is what a hook prints. Most clients read the same form, and those that are [client.Hooks.Flat] read Context
// in the place of Adds. Codex refuses other fields than it knows.
type answer struct {
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Adds     *adds  `json:"hookSpecificOutput,omitempty"`
	Context  string `json:"additionalContext,omitempty"`
}

// adds is what the model reads besides what happened.
type adds struct {
	At      string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Answer is what a hook prints on an event so that the client's model hears of n, or nothing.
func (a Account) Answer(e client.Event, of schemas.Agent, n schemas.NewsOut, workspace string) ([]byte, error) {
	var text string
	row, _ := client.Named(string(of))
	switch e {
	case client.SessionStart:
		text = Start(n, workspace) + row.Toolless
	case client.Prompt, client.Tool:
		text = Mail(n)
	case client.Stop, client.SubagentStop:
		text = Reminder(n)
	case client.SessionEnd, client.Compact: // nobody reads on
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	switch {
	case e == client.Stop || e == client.SubagentStop:
		return encoded(answer{Decision: "block", Reason: text})
	case row.Hooks != nil && row.Hooks.Flat:
		return encoded(answer{Context: text})
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

// Account is what a client tells a hook of what happened, as far as it matters here. The fields have the same names
// in all clients; each may be missing.
type Account struct {
	Session    string `json:"session_id"`
	At         string `json:"hook_event_name"`
	Dir        string `json:"cwd"`
	Transcript string `json:"transcript_path"`
	Turn       string `json:"turn_id"`
	AgentID    string `json:"agent_id"`   // of a subagent, empty in the session itself
	AgentType  string `json:"agent_type"` // the kind of subagent

	Background []struct {
		ID        string `json:"id"`
		Status    string `json:"status"`
		AgentType string `json:"agent_type"`
	} `json:"background_tasks"`
}

// most is how much of an account is read, in bytes. It holds what a tool answered, which may be much.
const most = 32 << 20

// Read reads an account.
func Read(r io.Reader) (a Account, err error) {
	if err := json.NewDecoder(io.LimitReader(r, most)).Decode(&a); err != nil {
		return a, fmt.Errorf("read what the client tells: %w", err)
	}
	return a, nil
}

// Client tells which client gave the account: the one that is named, else the one whose habits it shows, else the
// one that the environment speaks of. That comes last because a client that another started inherits it.
func (a Account) Client(named string, around schemas.Agent) schemas.Agent {
	if named != "" {
		return schemas.Agent(named)
	}
	if c, ok := client.Reporting(client.Report{At: a.At, Turn: a.Turn, Transcript: a.Transcript}); ok {
		return schemas.Agent(c.Name)
	}
	return around
}

// Asks is what the mailbox is to be asked on an event, or false when there is nothing to ask. What is said on an event
// of a subagent only that subagent would read, and it has no mail of its own.
func (a Account) Asks(e client.Event) (in schemas.NewsIn, ok bool) {
	in = schemas.NewsIn{On: occasions[e], Session: schemas.Clip(a.Session, longestSession)}
	switch {
	case in.On == "":
		return in, false
	case e == client.SubagentStop:
		in.Subagents = names(a.AgentType, a.AgentID)
		return in, len(in.Subagents) > 0
	case a.AgentID != "":
		return in, false
	}
	in.AtWork = a.atWork()
	return in, true
}

// mostAtWork is of how many subagents at work is told.
const mostAtWork = 16

// atWork are the names under which subagents that go on may have claimed. They are reminded when they stop.
func (a Account) atWork() (all []schemas.Agent) {
	for _, task := range a.Background {
		if task.Status == "running" && len(all) < mostAtWork {
			all = append(all, names(task.AgentType, task.ID)...)
		}
	}
	return all[:min(len(all), mostAtWork)]
}

// Sleeps is what the mailbox is to be asked for a session that is to be woken.
func (a Account) Sleeps() schemas.NewsIn {
	return schemas.NewsIn{On: schemas.OnWake, Session: schemas.Clip(a.Session, longestSession)}
}

// longestSession is how much of the id of a session the mailbox takes.
const longestSession = 128

// names are those under which a subagent may have claimed: nothing else tells it from the others of its session.
func names(kind, id string) (all []schemas.Agent) {
	for _, name := range []string{kind, id} {
		if agent, err := schemas.ParseAgent("agent", name); err == nil {
			all = append(all, agent)
		}
	}
	return all
}

// occasions are what the mailbox is asked about on each.
var occasions = map[client.Event]schemas.SessionEvent{
	client.SessionStart: schemas.OnStart,
	client.Prompt:       schemas.OnMail,
	client.Tool:         schemas.OnMail,
	client.Stop:         schemas.OnStop,
	client.SubagentStop: schemas.OnStop,
	client.SessionEnd:   schemas.OnEnd,
	client.Compact:      schemas.OnCompact,
}
