package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay"
	"handoff/tools/telemetry"
)

// flushTimeout is the time in which a server may send its last spans before it ends.
const flushTimeout = 250 * time.Millisecond

// startTracing starts to send spans of the workspace if environment variables name a collector. The caller must call
// the returned function end before it closes the store.
func startTracing(
	ctx context.Context, a *cli.App, ws workspace.Workspace, boxes *relay.Relay, log *slog.Logger,
) (end func(), err error) {
	traces, err := telemetry.NewTraces(telemetry.TracesConfig{
		Getenv: a.Getenv, Workspace: ws.Name, Version: a.Release.Version, Now: a.Now, Logger: log,
	})
	if err != nil {
		err = schemas.Invalidf("OTEL_EXPORTER_OTLP_ENDPOINT", "%w", err)
	}
	if traces == nil || err != nil {
		return func() {}, err
	}
	ctx = context.WithoutCancel(ctx) // the server answers calls after a signal too
	following, stop := context.WithCancel(ctx)
	var follower sync.WaitGroup
	follower.Go(func() { traces.Follow(following, boxes) })
	return func() {
		stop()
		follower.Wait()
		ctx, cancel := context.WithTimeout(ctx, flushTimeout)
		defer cancel()
		if err := traces.Close(ctx); err != nil {
			log.Warn("the last spans were not sent", slog.Any("error", err))
		}
	}, nil
}
