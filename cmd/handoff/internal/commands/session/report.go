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

// filesSnippet tells an agent that can only write a file how it hands its work on. It describes the agent's part of the
// Kelos TaskHandoff proposal, and is meant for a prompt or for AGENTS.md.
//
//go:embed files.md
var filesSnippet string

// hookAnswer is the output of a hook in the form that most clients read. Clients with [client.HookSettings.Flat] read
// the field Context instead of Adds. A hook leaves unused fields out, because Codex refuses unknown fields.
type hookAnswer struct {
	Decision string     `json:"decision,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Adds     *addedText `json:"hookSpecificOutput,omitempty"`
	Context  string     `json:"additionalContext,omitempty"`
}

// addedText is additional text for the model.
type addedText struct {
	At      string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// newAnswer returns the output of a hook for an event. It puts the news n into words for the client's model. Without
// news it returns nil.
func (a hookReport) newAnswer(e client.SessionEvent, of schemas.Agent, n schemas.NewsOut, workspace string) (json.RawMessage, error) {
	var text string
	row, _ := client.ByName(string(of))
	switch e {
	case client.SessionStart:
		text = startText(n, workspace) + row.Toolless
	case client.Prompt, client.Tool:
		text = mailText(n)
	case client.Stop, client.SubagentStop:
		text = heldReminder(n)
	case client.SessionEnd, client.Compact, client.Wake: // no model reads it
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	switch {
	case e == client.Stop || e == client.SubagentStop:
		return schemas.Encode(hookAnswer{Decision: "block", Reason: text})
	case row.Hooks != nil && row.Hooks.Flat:
		return schemas.Encode(hookAnswer{Context: text})
	}
	at := cmp.Or(a.At, row.EventName(e)) // the client mostly names the event itself
	return schemas.Encode(hookAnswer{Adds: &addedText{At: at, Context: text}})
}

// hookReport holds the fields of a client's report that handoff needs. All clients use the same field names, and may
// omit any field.
type hookReport struct {
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

// maxReport is the largest number of bytes that a hook reads of a report. A report contains the result of a tool call,
// which may be long.
const maxReport = 32 << 20

// parseReport reads a report.
func parseReport(r io.Reader) (a hookReport, err error) {
	if err := json.NewDecoder(io.LimitReader(r, maxReport)).Decode(&a); err != nil {
		return a, fmt.Errorf("read the message of the client: %w", err)
	}
	return a, nil
}

// reportingClient returns the client that sent the report. If the command line names the client, that name decides.
// Otherwise the form of the report decides, and if several clients send this form, the environment decides. The
// environment comes last because a client inherits the variables of the client that started it.
func (a hookReport) reportingClient(named string, around schemas.Agent) schemas.Agent {
	if named != "" {
		return schemas.Agent(named)
	}
	if c, ok := client.ReportingClient(client.HookReport{EventName: a.At, Turn: a.Turn, Transcript: a.Transcript}); ok {
		return schemas.Agent(c.Name)
	}
	return around
}

// newsRequest returns the request that a hook sends to the mailbox for an event. Ok is false if the hook sends no
// request. This is so for an unknown event, and for all events of a subagent except its stop: a subagent has no mail of
// its own.
func (a hookReport) newsRequest(e client.SessionEvent) (in schemas.NewsIn, ok bool) {
	in = schemas.NewsIn{On: sessionEvents[e], Session: schemas.Clip(a.Session, maxSessionID)}
	switch {
	case in.On == "":
		return in, false
	case e == client.SubagentStop:
		in.Subagents = subagentNames(a.AgentType, a.AgentID)
		return in, len(in.Subagents) > 0
	case a.AgentID != "":
		return in, false
	}
	in.AtWork = a.runningSubagents()
	return in, true
}

// maxAtWork is the largest number of running subagents that a hook names to the mailbox.
const maxAtWork = 16

// runningSubagents returns the names under which running subagents may have claimed handoffs. The mailbox does not
// remind the session of these handoffs: it reminds a subagent when the subagent itself stops.
func (a hookReport) runningSubagents() (all []schemas.Agent) {
	for _, task := range a.Background {
		if task.Status == "running" && len(all) < maxAtWork {
			all = append(all, subagentNames(task.AgentType, task.ID)...)
		}
	}
	return all[:min(len(all), maxAtWork)]
}

// maxSessionID is the greatest length of a session id that the mailbox accepts.
const maxSessionID = 128

// subagentNames returns the names under which a subagent may have claimed handoffs: its kind and its id.
func subagentNames(kind, id string) (all []schemas.Agent) {
	for _, name := range []string{kind, id} {
		if agent, err := schemas.ParseAgent("agent", name); err == nil {
			all = append(all, agent)
		}
	}
	return all
}

// sessionEvents maps the name of a client's event to the name of the event in the request to the mailbox.
var sessionEvents = map[client.SessionEvent]schemas.SessionEvent{
	client.SessionStart: schemas.OnStart,
	client.Prompt:       schemas.OnMail,
	client.Tool:         schemas.OnMail,
	client.Stop:         schemas.OnStop,
	client.SubagentStop: schemas.OnStop,
	client.SessionEnd:   schemas.OnEnd,
	client.Compact:      schemas.OnCompact,
}
