package observe

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

const (
	figuresKept = 5 * time.Second // how long figures of the workspace are given again
	figuresWait = 2 * time.Second // how long they may take
)

// figures keeps the figures of the workspace for a moment, so that it costs the same however many ask.
type figures struct {
	config MetricsConfig

	mu    sync.Mutex // guards the fields below, and is held while they are asked for
	at    time.Time
	stats *schemas.StatsOut // nil when they could not be had
}

// read gives the figures, nil when they cannot be had. It takes figuresWait at most, whether or not its caller
// stays that long: others wait for the same.
func (f *figures) read(ctx context.Context) *schemas.StatsOut {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := f.config.Now().Sub(f.at); !f.at.IsZero() && age >= 0 && age < figuresKept {
		return f.stats
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), figuresWait)
	defer cancel()
	stats, err := tools.Ask[schemas.StatsOut](ctx, f.config.Invoker, tools.Call{Tool: "workspace_stats"}, schemas.StatsIn{})
	f.stats = &stats
	if err != nil {
		f.config.Logger.WarnContext(ctx, "no figures of the workspace", slog.Any("cause", err))
		f.stats = nil
	}
	f.at = f.config.Now()
	return f.stats
}
