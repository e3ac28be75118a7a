package delivery

import (
	"encoding/json"
	"fmt"
	"io"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

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
