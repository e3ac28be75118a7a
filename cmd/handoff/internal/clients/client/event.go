package client

// An Event is what happened in a session, in the words of handoff. Each client has its own word for it.
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
