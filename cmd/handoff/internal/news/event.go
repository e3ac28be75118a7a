// Package news says in words what a session is to know of its mail, and speaks with the hooks of clients: programs
// that a client runs when something happens in a session, with an account of it on standard input, and whose answer
// its model reads.
//
// What there is to tell the mailbox decides, and that each thing is told once; see [schemas.NewsIn]. All that agents
// wrote is in quotes here, and called what it is: data. Nothing here touches a file or the network.
package news

import "handoff/schemas"

// An Event is what happened in a session, in our words. Each client has its own for it.
type Event string

// The events.
const (
	SessionStart Event = "session-start"
	Prompt       Event = "prompt"
	Tool         Event = "tool"
	Stop         Event = "stop"
	SubagentStop Event = "subagent-stop"
	SessionEnd   Event = "session-end"
	Compact      Event = "compact" // is about to happen
)

// Events lists them in the order of a session.
var Events = []Event{SessionStart, Prompt, Tool, Stop, SubagentStop, SessionEnd, Compact}

// occasions are what the mailbox is asked about on each.
var occasions = map[Event]schemas.Occasion{
	SessionStart: schemas.OnStart,
	Prompt:       schemas.OnMail,
	Tool:         schemas.OnMail,
	Stop:         schemas.OnStop,
	SubagentStop: schemas.OnStop,
	SessionEnd:   schemas.OnEnd,
	Compact:      schemas.OnCompact,
}

// ofClients are the names of the events in clients, where an answer has to repeat them and was not told.
var ofClients = map[schemas.Agent]map[Event]string{
	"gemini-cli": {SessionStart: "SessionStart", Prompt: "BeforeAgent", Tool: "AfterTool"},
}

// elsewhere are those in all other clients.
var elsewhere = map[Event]string{SessionStart: "SessionStart", Prompt: "UserPromptSubmit", Tool: "PostToolUse"}
