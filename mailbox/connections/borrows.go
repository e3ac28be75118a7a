package connections

import (
	"context"
	"fmt"
	"log/slog"

	"handoff/mailbox/operation"
	"handoff/mailbox/presence"
	"handoff/schemas"
)

// noticeActedAs is the kind of a notice that another agent acts under the reader's name. Its sender is that agent, or
// system if it has no name.
const noticeActedAs = "acted_as"

// NotifyNameOwner reports whether a caller acts for the first time over its connection under the name of an agent that
// has another connection. It then sends that agent a notice. Package tools calls it before each call that changes
// something and names another agent than own, the caller's name. It refuses nothing, because subagents share names for
// good reasons. It reports false on the command line and over HTTP, where there is no connection to compare. If the
// notice cannot be stored, it logs a warning.
func (c *Connections) NotifyNameOwner(ctx context.Context, by schemas.Caller, own schemas.Agent) bool {
	actsOver := func(mine bool) bool {
		return c.Engine.Here.ActingOver(by.Agent, func(c presence.Connection) bool { return (c.Name == by.Conn) == mine })
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
