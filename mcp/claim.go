package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

const claimTool = "claim_handoff"

// giveBackTimeout is how long giving a claim back may take.
const giveBackTimeout = 5 * time.Second

// claim is the claim that a request made. Only the response names it, so nobody would work on it if the response did
// not arrive.
type claim struct {
	giveBack func() // nil when nothing was claimed
}

type claimKey struct{}

// noteClaim remembers the claim of a successful call, in case its result does not arrive.
func (s *Server) noteClaim(ctx context.Context, by schemas.Caller, tool string, args, result json.RawMessage) {
	if taken, ok := ctx.Value(claimKey{}).(*claim); ok && tool == claimTool {
		ctx = context.WithoutCancel(ctx)
		taken.giveBack = func() { s.giveBack(ctx, by, args, result) }
	}
}

// giveBack releases the handoff that a call claimed from the queue, also one that an earlier connection of the caller
// had claimed. The release counts as no attempt. A claim of a given handoff stays: it may be older than the call, and a
// caller that names the handoff again gets the same claim. Only a caller without an AgentID would not, because nothing
// tells it from others; its claim is released too.
func (s *Server) giveBack(ctx context.Context, by schemas.Caller, args, result json.RawMessage) {
	var call schemas.ClaimIn
	if tool, err := tools.Find(claimTool); err == nil {
		canonical, _ := tool.Canonical(args)
		_ = json.Unmarshal(canonical, &call) // it was accepted
	}
	var got schemas.ClaimOut
	stays := call.HandoffID != "" && by.AgentID != ""
	if err := json.Unmarshal(result, &got); err != nil || got.HandoffID == 0 || stays {
		return
	}
	release := arguments{"handoff_id": got.HandoffID.String(), "action": schemas.ActRelease, "claim_token": got.Token}
	if agent := agentIn(args); agent != "" {
		release["agent"] = agent
	}
	ctx, cancel := context.WithTimeout(ctx, giveBackTimeout)
	defer cancel()
	if _, refused := ask[schemas.UpdateOut](ctx, s, by, "update_handoff", release); refused != nil {
		s.config.Logger.WarnContext(ctx, "claim not given back",
			slog.String("handoff", got.HandoffID.String()), slog.Any("error", refused))
	}
}

// agentIn returns the agent that arguments name, which their canonical form leaves out. Some clients send the arguments
// as text.
func agentIn(args json.RawMessage) string {
	var text string
	if json.Unmarshal(args, &text) == nil {
		args = json.RawMessage(text)
	}
	var a struct {
		Agent string `json:"agent"`
	}
	if json.Unmarshal(args, &a) != nil {
		return ""
	}
	return a.Agent
}
