package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/journal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/platform"
	"handoff/tools/relay"
)

// A servingCommand keeps a workspace served without a client.
type servingCommand struct {
	*cli.App
	network networkOptions
	logging logOptions
}

func serveCommand(a *cli.App) *cobra.Command {
	s := &servingCommand{App: a}
	cmd := &cobra.Command{
		Use: "serve",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.network.checkFlags(cmd.Flags(), s.Getenv); err != nil {
				return err
			}
			return s.serveAsOwner(cmd.Context())
		},
	}
	s.network.defineFlags(cmd.Flags())
	s.logging.defineFlags(cmd.Flags())
	a.DefineAgentsFlag(cmd.Flags())
	a.Limits.DefineFlags(cmd.Flags())
	return cmd
}

// serveAsOwner makes this process the owner of the store and serves the workspace until a signal. While another process
// owns the store, serveAsOwner waits for its turn.
func (s *servingCommand) serveAsOwner(ctx context.Context) error {
	ctx, life := platform.BeginLife(ctx, s.Exit)
	defer life.End()
	platform.SetMemoryLimit(false)
	stderr := journal.NewDroppingWriter(s.Stderr)
	defer stderr.Close()
	log, err := s.logging.newLogger(stderr)
	if err != nil {
		return err
	}
	if s.network.store != "" && s.network.site.Addr != "" {
		return s.serveDatabase(ctx, stderr, log)
	}
	ws, err := workspace.Find(s.WorkspaceConfig())
	if err != nil {
		return err
	}
	return s.OpenWorkspace(ctx, ws, cli.OpenOptions{Logger: log, Stays: true}, func(boxes *relay.Relay) error {
		conn := &cli.Connection{Boxes: boxes, By: schemas.Caller{Via: schemas.ViaCLI}, App: s.App}
		return s.serveUntilDone(ctx, conn, ws, stderr, log)
	})
}

// serveUntilDone serves a workspace until ctx is done. If the command has an address to listen at, it also serves the
// workspace over HTTP.
func (s *servingCommand) serveUntilDone(
	ctx context.Context, conn *cli.Connection, ws workspace.Workspace, stderr io.Writer, log *slog.Logger,
) error {
	_, unserved := conn.Call(ctx, "registry_newest", cli.Arguments{}, nil) // the first call makes it the owner, or finds the owner
	if ctx.Err() != nil {
		return nil // it was told to end
	}
	if unserved != nil { // a later call may succeed
		log.WarnContext(ctx, "workspace is not served yet", slog.Any("error", unserved))
	}
	end, err := startTracing(ctx, s.App, ws, conn.Boxes, log)
	if err != nil {
		return err
	}
	defer end()
	if s.network.site.Addr == "" {
		printOwner(stderr, ws, unserved)
		pollOwner(ctx, conn, log)
		return nil
	}
	site, err := s.listenHTTP(ctx, ws, conn.Boxes, log)
	if err != nil {
		return err
	}
	printOwner(stderr, ws, unserved)
	ctx, stop := context.WithCancel(ctx)
	var staying sync.WaitGroup
	defer staying.Wait()
	defer stop()
	staying.Go(func() { pollOwner(ctx, conn, log) })
	return site.serve(ctx, stderr)
}

// pollOwner makes a call every checkInterval until ctx is done, to check that some process serves the workspace. It
// logs failed calls.
func pollOwner(ctx context.Context, conn *cli.Connection, log *slog.Logger) {
	for platform.Sleep(ctx, checkInterval) {
		if _, err := conn.Call(ctx, "registry_newest", cli.Arguments{}, nil); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "workspace is not served", slog.Any("error", err))
		}
	}
}

// checkInterval is the interval of the calls of pollOwner. Without these calls, a process that gets the store but
// cannot open it would not try to become the owner again.
const checkInterval = 30 * time.Second

func printOwner(w io.Writer, ws workspace.Workspace, unserved error) {
	if unserved != nil {
		return // the log says so
	}
	if owner, ok := relay.ReadNote(ws.Dir); ok && owner.PID != os.Getpid() {
		fmt.Fprintf(w, "workspace %s is served by another process (%s); this one, %d, is in line\n", ws.Name, owner.ProcessText(), os.Getpid())
		return
	}
	fmt.Fprintf(w, "workspace %s is served by this process, %d, from %s\n", ws.Name, os.Getpid(), ws.Dir)
}
