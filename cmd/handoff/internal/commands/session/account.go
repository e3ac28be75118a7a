package session

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// filesSnippet tells an agent that can write a file, and needs nothing else, how it hands its work on: the agent's part
// of the Kelos TaskHandoff proposal. It is for a prompt or for AGENTS.md.
//
//go:embed files.md
var filesSnippet string

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

// answer is what a hook prints on an event so that the client's model hears of n, or nothing.
func (a account) answer(e client.Event, of schemas.Agent, n schemas.NewsOut, workspace string) (json.RawMessage, error) {
	var text string
	row, _ := client.Named(string(of))
	switch e {
	case client.SessionStart:
		text = startText(n, workspace) + row.Toolless
	case client.Prompt, client.Tool:
		text = mailText(n)
	case client.Stop, client.SubagentStop:
		text = reminder(n)
	case client.SessionEnd, client.Compact: // nobody reads on
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	switch {
	case e == client.Stop || e == client.SubagentStop:
		return schemas.Encode(answer{Decision: "block", Reason: text})
	case row.Hooks != nil && row.Hooks.Flat:
		return schemas.Encode(answer{Context: text})
	}
	at := cmp.Or(a.At, row.EventName(e)) // a client says so itself as a rule
	return schemas.Encode(answer{Adds: &adds{At: at, Context: text}})
}

// account is what a client tells a hook of what happened, as far as it matters here. The fields have the same names
// in all clients; each may be missing.
type account struct {
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

// mostOfAccount is how much of an account is read, in bytes. It holds what a tool answered, which may be much.
const mostOfAccount = 32 << 20

// parseAccount reads an account.
func parseAccount(r io.Reader) (a account, err error) {
	if err := json.NewDecoder(io.LimitReader(r, mostOfAccount)).Decode(&a); err != nil {
		return a, fmt.Errorf("read what the client tells: %w", err)
	}
	return a, nil
}

// client tells which client gave the account: the one that is named, else the one whose habits it shows, else the
// one that the environment speaks of. That comes last because a client that another started inherits it.
func (a account) client(named string, around schemas.Agent) schemas.Agent {
	if named != "" {
		return schemas.Agent(named)
	}
	if c, ok := client.ReportingClient(client.Report{EventName: a.At, Turn: a.Turn, Transcript: a.Transcript}); ok {
		return schemas.Agent(c.Name)
	}
	return around
}

// asks is what the mailbox is to be asked on an event, or false when there is nothing to ask. What is said on an event
// of a subagent only that subagent would read, and it has no mail of its own.
func (a account) asks(e client.Event) (in schemas.NewsIn, ok bool) {
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
func (a account) atWork() (all []schemas.Agent) {
	for _, task := range a.Background {
		if task.Status == "running" && len(all) < mostAtWork {
			all = append(all, names(task.AgentType, task.ID)...)
		}
	}
	return all[:min(len(all), mostAtWork)]
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
