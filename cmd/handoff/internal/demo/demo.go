// Package demo plays an example of work between four agents, so that a newcomer sees in seconds how handoff works. A
// design goes to implementation and from there to testing. It comes back when the tests cannot run, and then goes on to
// the security review.
//
// [Play] starts a real server process, as the client of an agent does. Each step is a tool call over a stdio connection
// of the Model Context Protocol. The four agents share the connection, as subagents of one client do. Play compares
// each result with the expected result in story.json. The demo needs no network and no configuration.
package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os/exec"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	sdk "github.com/mark3labs/mcp-go/mcp"
)

// Config says where to play.
type Config struct {
	Executable string // the handoff program, started as "handoff mcp"
	StateHome  string // XDG_STATE_HOME of the server: a temporary directory
	Workspace  string // a name without a workspace in StateHome

	Out    io.Writer // gets the story
	Errors io.Writer // gets the server's log
}

// Play makes the tool calls of the example, and then calls look while the agents are still connected. When Play
// returns, the server has ended, and its workspace holds the events. An unexpected result is an error. A server that
// ends with a failure is an error, too.
func Play(ctx context.Context, c Config, look func()) error {
	var story []toolCallStep
	if err := json.Unmarshal(storyJSON, &story); err != nil {
		return err
	}
	conn, err := connect(ctx, c)
	if err != nil {
		return err
	}
	for _, s := range story {
		if err = conn.playStep(ctx, s); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	look()
	return conn.Close()
}

// A connection is one client connected to one server process.
type connection struct {
	Config
	client *client.Client
}

func connect(ctx context.Context, c Config) (*connection, error) {
	stdio := transport.NewStdioWithOptions(c.Executable, nil, []string{"mcp", "--workspace", c.Workspace},
		transport.WithCommandFunc(c.serverCommand),
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

// serverCommand returns the command that starts the server. Its environment has no project, so the server neither reads
// nor changes files of the user.
func (c Config) serverCommand(ctx context.Context, name string, _, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // it is this program itself
	cmd.Dir = c.StateHome
	cmd.Env = []string{"XDG_STATE_HOME=" + c.StateHome, "HOME=" + c.StateHome}
	return cmd, nil
}

// call calls a tool and returns its result, which is a JSON object as text.
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

// storyJSON is the list of steps. The workspace of the demo is new, so the ids of the handoffs are ho_1 to ho_6.
//
//go:embed story.json
var storyJSON []byte

// toolCallStep is a tool call of one agent, with the expected result.
type toolCallStep struct {
	Agent string
	Tool  string
	About string // of the call, for the reader
	Args  map[string]any
	Want  [][2]string // pairs of path and expected value: "forwarded.to", "qa"
}

func (conn *connection) playStep(ctx context.Context, s toolCallStep) error {
	fmt.Fprintf(conn.Out, "→ %-10s %s %s\n", s.Agent, s.Tool, s.About)
	args := map[string]any{"agent": s.Agent}
	maps.Copy(args, s.Args)
	text, err := conn.call(ctx, s.Tool, args)
	if err != nil {
		return fmt.Errorf("%s by %s: %w", s.Tool, s.Agent, err)
	}
	var result any
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return fmt.Errorf("result of %s: %w", s.Tool, err)
	}
	var told []string
	for _, want := range s.Want {
		if got := valueAt(result, want[0]); got != want[1] {
			return fmt.Errorf("%s by %s: %s is %v, not %s", s.Tool, s.Agent, want[0], got, want[1])
		}
		told = append(told, want[0]+": "+want[1])
	}
	fmt.Fprintf(conn.Out, "← %-10s %s\n", "", strings.Join(told, ", "))
	return nil
}

// valueAt returns the value at a dotted path through objects, or nil.
func valueAt(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		inner, _ := value.(map[string]any)
		value = inner[name]
	}
	return value
}
