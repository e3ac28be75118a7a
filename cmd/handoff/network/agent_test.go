//go:build unix

package network_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// The two eras of the protocol: with sessions, and without.
const (
	older = sdk.ProtocolVersion20251125
	newer = sdk.ProtocolVersion20260728
)

var eras = []string{older, newer}

// An agent is a client of the SDK.
type agent struct{ *client.Client }

// join connects an agent over HTTP. Name is the agent name that it asks for, or "" for the usual name of its token.
// Over is nil for a client with its own connections.
func (v *server) join(ctx context.Context, secret, name, era string, over *http.Transport) (*agent, error) {
	headers := map[string]string{}
	if secret != "" {
		headers["Authorization"] = "Bearer " + secret
	}
	if name != "" {
		headers["Handoff-Agent"] = name
	}
	return join(ctx, v.url, headers, era, over)
}

func join(ctx context.Context, url string, headers map[string]string, era string, over *http.Transport) (*agent, error) {
	if over == nil {
		over = &http.Transport{}
	}
	way, err := transport.NewStreamableHTTP(url, transport.WithHTTPHeaders(headers),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)), transport.WithHTTPBasicClient(&http.Client{Transport: over}))
	if err != nil {
		return nil, err
	}
	a := &agent{client.NewClient(way, client.WithProtocolVersion(era))}
	return a, a.greet(ctx, era)
}

// mustJoin is join for tests that cannot go on without; the agent leaves with its test.
func (v *server) mustJoin(secret, name, era string) *agent {
	v.t.Helper()
	connections := &http.Transport{}
	a, err := v.join(v.ctx, secret, name, era, connections)
	require.NoError(v.t, err)
	v.t.Cleanup(func() {
		_ = a.Close() // its server may be gone
		connections.CloseIdleConnections()
	})
	return a
}

// sit starts a local session of an agent, over standard input and output.
func (s *site) sit(name, era string) *agent {
	s.t.Helper()
	begin := func(ctx context.Context, _ string, _, args []string) (*exec.Cmd, error) {
		return s.command(s.ctx, args...), nil
	}
	way := transport.NewStdioWithOptions(s.program, nil, []string{"mcp", "--agent", name}, transport.WithCommandFunc(begin))
	a := &agent{client.NewClient(way, client.WithProtocolVersion(era))}
	require.NoError(s.t, a.greet(s.ctx, era))
	s.t.Cleanup(func() { _ = a.Close() })
	return a
}

func (a *agent) greet(ctx context.Context, era string) error {
	if err := a.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	hello := sdk.InitializeRequest{}
	hello.Params.ProtocolVersion = era
	hello.Params.ClientInfo = sdk.Implementation{Name: "tester", Version: "1"}
	_, err := a.Initialize(ctx, hello)
	return err
}

// call calls a tool and reads its result into out, if that is not nil. A refusal is a *[schemas.Error].
func (a *agent) call(ctx context.Context, tool string, in, out any) error {
	r := sdk.CallToolRequest{}
	r.Params.Name, r.Params.Arguments = tool, in
	result, err := a.CallTool(ctx, r)
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if len(result.Content) == 0 {
		return fmt.Errorf("%s: an empty result", tool)
	}
	text := result.Content[0].(sdk.TextContent).Text
	if result.IsError {
		return refusal(tool, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal([]byte(text), out)
}

// refusal reads the text of a refused call, which has to be a coded error.
func refusal(tool, text string) error {
	var coded schemas.Error
	if err := json.Unmarshal([]byte(text), &coded); err != nil || coded.Code == "" {
		return fmt.Errorf("%s was refused without a code: %s", tool, text)
	}
	return &coded
}

func (a *agent) send(ctx context.Context, in schemas.SendIn) (out schemas.SendOut, err error) {
	err = a.call(ctx, "send_handoff", in, &out)
	return out, err
}

func (a *agent) claim(ctx context.Context, in schemas.ClaimIn) (out schemas.ClaimOut, err error) {
	err = a.call(ctx, "claim_handoff", in, &out)
	return out, err
}

func (a *agent) complete(ctx context.Context, claimed schemas.ClaimOut) (out schemas.CompleteOut, err error) {
	in := schemas.CompleteIn{HandoffID: claimed.HandoffID.String(), Token: claimed.Token, Result: schemas.Result{Summary: "done"}}
	err = a.call(ctx, "complete_handoff", in, &out)
	return out, err
}

// cycle sends a handoff to oneself, claims it and completes it.
func (a *agent) cycle(ctx context.Context, self string) error {
	sent, err := a.send(ctx, schemas.SendIn{To: self, Task: "try it", Parent: "none"})
	if err != nil {
		return err
	}
	claimed, err := a.claim(ctx, schemas.ClaimIn{})
	switch {
	case err != nil:
		return err
	case claimed.HandoffID != sent.HandoffID:
		return fmt.Errorf("claimed %v and not %v", claimed.HandoffID, sent.HandoffID)
	}
	_, err = a.complete(ctx, claimed)
	return err
}
