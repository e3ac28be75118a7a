package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"handoff/schemas"
)

// givingBack bounds how long it takes to give a claim back.
const givingBack = 5 * time.Second

// claim is what a request took and only its answer names. Nobody would look for it if that did not arrive.
type claim struct {
	giveBack func() // nil when nothing was taken
}

type claimKey struct{}

// noteClaim notes what a successful call took, for the case that its result does not arrive.
func (s *Server) noteClaim(ctx context.Context, by schemas.Caller, tool string, args, result json.RawMessage) {
	if taken, ok := ctx.Value(claimKey{}).(*claim); ok && tool == claimTool {
		ctx = context.WithoutCancel(ctx)
		taken.giveBack = func() { s.giveBack(ctx, by, args, result) }
	}
}

// giveBack releases what a call took from the queue, also what an earlier connection of the caller had left.
// It was no attempt. A claim of a given handoff stays: it may be older than the call, and whoever asked for
// it knows its id and gets the same claim by asking again. A caller who cannot be told from others would not.
func (s *Server) giveBack(ctx context.Context, by schemas.Caller, args, result json.RawMessage) {
	var got schemas.ClaimOut
	call, _ := readCall(claimTool, args)
	if err := json.Unmarshal(result, &got); err != nil || got.HandoffID == 0 || call.HandoffID != "" && by.AgentID != "" {
		return
	}
	release := arguments{"handoff_id": got.HandoffID.String(), "action": schemas.ActRelease, "claim_token": got.Token}
	if call.Agent != "" {
		release["agent"] = call.Agent
	}
	ctx, cancel := context.WithTimeout(ctx, givingBack)
	defer cancel()
	if _, refused := ask[schemas.UpdateOut](ctx, s, by, "update_handoff", release); refused != nil {
		s.config.Logger.LogAttrs(ctx, slog.LevelWarn, "claim not given back",
			slog.String("handoff", got.HandoffID.String()), slog.Any("error", refused))
	}
}
