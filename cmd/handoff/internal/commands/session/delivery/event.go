package delivery

import (
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

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
