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
	"fmt"
	"io"
	"log/slog"
	"os/exec"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	sdk "github.com/mark3labs/mcp-go/mcp"
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

// A connection is one client connected to one server process.
type connection struct {
	Config
	client *client.Client
}

func connect(ctx context.Context, c Config) (*connection, error) {
	stdio := transport.NewStdioWithOptions(c.Executable, nil, []string{"mcp", "--workspace", c.Workspace},
		transport.WithCommandFunc(c.command),
		transport.WithCommandStderrWriter(c.Errors),
		transport.WithCommandLogger(slog.New(slog.DiscardHandler)))
	conn := &connection{c, client.NewClient(stdio)}
	if err := conn.client.Start(ctx); err != nil {
		return nil, fmt.Errorf("start %s mcp: %w", c.Executable, err)
	}
	var hello sdk.InitializeRequest
	hello.Params.ClientInfo = sdk.Implementation{Name: "handoff-demo", Version: "1"}
	if _, err := conn.client.Initialize(ctx, hello); err != nil {
		return nil, errors.Join(fmt.Errorf("greet the server: %w", err), conn.Close())
	}
	return conn, nil
}

// command gives the server an environment in which nothing of the user's is found or changed.
func (c Config) command(ctx context.Context, name string, _, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // it is this program itself
	cmd.Env = []string{"XDG_STATE_HOME=" + c.StateHome, "HOME=" + c.StateHome}
	return cmd, nil
}

// call calls a tool and gives its result, a JSON object as text.
func (conn *connection) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	var r sdk.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, args
	result, err := conn.client.CallTool(ctx, r)
	if err != nil {
		return "", err
	}
	if len(result.Content) != 1 {
		return "", fmt.Errorf("%d contents, not one", len(result.Content))
	}
	text, ok := result.Content[0].(sdk.TextContent)
	if !ok || result.IsError {
		return "", fmt.Errorf("refused: %s", text.Text)
	}
	return text.Text, nil
}

// Close ends the connection and waits for the server to end.
func (conn *connection) Close() error {
	if err := conn.client.Close(); err != nil {
		return fmt.Errorf("end of the server: %w", err)
	}
	return nil
}
