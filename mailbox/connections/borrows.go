package connections

import (
	"context"
	"fmt"
	"log/slog"

	"handoff/mailbox/operation"
	"handoff/mailbox/presence"
	"handoff/schemas"
)

// noticeActedAs is the kind of a notice which says that another agent acts under the reader's name. The sender of the
// notice is that other agent, or system if that agent has no name.
const noticeActedAs = "acted_as"

// NotifyNameOwner sends a notice to the agent by.Agent if a caller whose own name is another one begins to act under
// that agent's name while the agent is connected over another connection. It returns true then. The notice comes once:
// at the caller's first call under the name over its connection. Package tools calls NotifyNameOwner before each call
// that changes something and that names another agent than own, the caller's name. NotifyNameOwner refuses no call,
// because subagents share names for good reasons. It returns false on the command line and over HTTP, where there is no
// connection to compare. If the notice cannot be stored, it logs a warning.
func (c *Connections) NotifyNameOwner(ctx context.Context, by schemas.Caller, own schemas.Agent) bool {
	actsOver := func(mine bool) bool {
		return c.Engine.Here.ActsOverConnection(by.Agent, func(c presence.Connection) bool { return (c.Name == by.Conn) == mine })
	}
	if by.Conn == "" || own == by.Agent || actsOver(true) || !actsOver(false) {
		return false
	}
	name := own
	if own == "" {
		own, name = schemas.System, "another session"
	}
	n := schemas.Notice{
		Kind: noticeActedAs, Title: fmt.Sprintf("%s acts as you", name),
		Text: fmt.Sprintf("%s began to act under your name, %s, while you are here. If that is none of yours, look at your handoffs, "+
			"and tell a person.", name, by.Agent),
	}
	agent := by.Agent
	by.Agent = own
	if err := c.Engine.Update(ctx, by, func(o *operation.Op) error { return o.NotifyAgent(agent, n) }); err != nil && ctx.Err() == nil {
		c.Engine.Logger.WarnContext(ctx, "an agent was not told that another acts under its name", slog.Any("error", err))
	}
	return true
}
