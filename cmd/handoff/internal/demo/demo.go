// Package demo plays a chain of work between four agents, so that a newcomer sees in seconds what handoff
// does: a design is handed to implementation, from there to testing, comes back when the tests cannot run,
// and goes on to the security review.
//
// Nothing is staged: each step is a tool call over a stdio connection of the Model Context Protocol to a
// server process that is started for it, as an agent's client makes it. The four agents share the connection,
// as subagents of one client do. Each result is compared with what the story needs. Without a network and
// without configuration.
package demo

import (
	"context"
	"errors"
	"io"
)

// Config says where to play.
type Config struct {
	Executable string // the handoff program, started as "handoff mcp"
	StateHome  string // XDG_STATE_HOME of the server: a temporary directory
	Workspace  string // a name that has no workspace there yet

	Out    io.Writer // where the story is told
	Errors io.Writer // where the server's log goes
}

// Play tells the story. When it returns the server has ended, and its workspace holds what happened.
// Any result that the story does not expect is an error, and so is a server that does not end well.
func Play(ctx context.Context, c Config) error {
	steps, err := story()
	if err != nil {
		return err
	}
	conn, err := connect(ctx, c)
	if err != nil {
		return err
	}
	return errors.Join(conn.tell(ctx, steps), conn.Close())
}

func (conn *connection) tell(ctx context.Context, steps []step) error {
	for _, s := range steps {
		if err := conn.play(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
