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
	statsTTL     = 5 * time.Second // how long the statistics of the workspace are kept
	statsTimeout = 2 * time.Second // how long reading them may take
)

// statsCache keeps the statistics of the workspace for a moment, so that they cost the same however many readers ask.
type statsCache struct {
	config MetricsConfig

	mu    sync.Mutex // guards the fields below; held while they are read
	at    time.Time
	stats *schemas.StatsOut // nil when they could not be read
}

// read returns the statistics, nil when they cannot be read. It takes at most statsTimeout. The end of ctx does not end
// it, because other readers wait for the same.
//
// A failure is kept as long as a success, so an owner that does not answer is asked once in five seconds however many
// readers there are.
func (f *statsCache) read(ctx context.Context) *schemas.StatsOut {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := f.config.Now().Sub(f.at); !f.at.IsZero() && age >= 0 && age < statsTTL {
		return f.stats
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statsTimeout)
	defer cancel()
	call := tools.Call{Tool: "workspace_stats"}
	stats, err := tools.Ask[schemas.StatsOut](ctx, f.config.Invoker, call, schemas.StatsIn{})
	f.stats = &stats
	if err != nil {
		f.config.Logger.WarnContext(ctx, "no figures of the workspace", slog.Any("cause", err))
		f.stats = nil
	}
	f.at = f.config.Now()
	return f.stats
}
