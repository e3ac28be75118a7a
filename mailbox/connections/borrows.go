package connections

import (
	"context"
	"fmt"
	"log/slog"

	"handoff/mailbox/operation"
	"handoff/mailbox/presence"
	"handoff/schemas"
)

// noticeActedAs is the kind of a notice which says that another agent acts under the reader's name.
const noticeActedAs = "acted_as"

// NotifyNameOwner sends a notice to the agent by.Agent when another agent begins to act under this name. own is the
// name of the other agent. It sends at most one notice for each connection of the caller, and only if by.Agent is
// connected. It returns true if it sent the notice.
//
// Package tools calls it before each change that a caller makes under the name of another agent. It refuses no call,
// because subagents may share a name. It does nothing for a caller without a connection. If the notice cannot be
// stored, it logs a warning.
func (c *Connections) NotifyNameOwner(ctx context.Context, by schemas.Caller, own schemas.Agent) bool {
	actsOver := func(mine bool) bool {
		return c.Engine.Here.ActsOverConnection(by.Agent, func(d presence.Connection) bool {
			return c.Engine.Here.IsSameSession(d.Name, by.Conn) == mine
		})
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
