package place

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay"
)

// alone runs fn while nobody else has a workspace open, or can open it.
func alone(w workspace.Workspace, fn func() error) error {
	release, err := relay.Lock(w.Dir)
	if errors.Is(err, relay.ErrInUse) {
		return inUse(w)
	}
	if err == nil {
		err = errors.Join(fn(), release())
	}
	if _, coded := errors.AsType[*schemas.Error](err); err == nil || coded {
		return err
	}
	return schemas.Errorf(schemas.Internal, "%w", err).WithHint("Look at %s.", w.Dir)
}

func inUse(w workspace.Workspace) error {
	who := ""
	if o := ownerOf(w); o != nil {
		who = fmt.Sprintf(": pid %d, handoff %s", o.PID, o.Version)
	}
	return schemas.Errorf(schemas.Conflict, "workspace %s is open in another process%s", w.Name, who).
		WithHint("End the clients that use it, then call again.")
}

// holdingOf is what is in a workspace that this process has alone.
func holdingOf(ctx context.Context, w workspace.Workspace) (open.Holding, error) {
	h, err := open.Look(ctx, w, slog.New(slog.DiscardHandler))
	if err != nil {
		return h, schemas.Errorf(schemas.Unavailable, "look into workspace %s: %w", w.Name, err).
			WithHint("Nothing was changed. Look at %s.", w.Dir)
	}
	return h, nil
}

// handoffs says how many there are, where counting stops at [open.Many].
func handoffs(n int) string {
	switch {
	case n == 1:
		return "1 handoff"
	case n >= open.Many:
		return fmt.Sprintf("%d or more handoffs", open.Many)
	}
	return fmt.Sprintf("%d handoffs", n)
}
