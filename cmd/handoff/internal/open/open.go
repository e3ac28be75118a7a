// Package open opens the mailboxes of a workspace: it opens the engine that keeps the rows, puts the store and the
// rules above it, and explains errors so that a caller can act on them. Package [relay] decides which process opens
// them.
//
// # Decisions
//
// A backup is a store file, from any engine. So a restore needs no second format, and a plain copy of handoff.db
// restores as well. Only the owner has the file of a workspace open, so the owner writes the copy, from one read
// transaction, into a file that the command made: it writes nowhere else. Any process reads a copy out of a database.
// The command verifies the copy before it gives it its name, so verifying costs the owner nothing.
//
// A restore keeps the replaced workspace until a person deletes it. A start that goes well proves only that the file
// opens; a person knows whether it was the right backup. In a directory a hard link keeps the old file: a store that
// is missing for a moment would be made anew, empty. In a database both workspaces get their new names in one
// transaction, which proves the epoch.
//
// An import reads the file into a store of its own, where every line is verified and every row examined before the
// workspace is touched. Hashes prove that nobody changed the file since; they do not prove that handoff wrote it.
// Then the rows are copied into an unused workspace. An import adds to no other workspace: ids would have to change
// in records and texts, and two registries about one handoff would have to be kept apart.
//
// A server starts even if its store is not available, because some clients never start a server again. Each call gets
// the reason, and the next call tries again. The first call that needs a database connects to it; only an invalid
// connection string ends a server.
package open

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/journal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/travel"
	"handoff/tools"
	"handoff/tools/platform"
	"handoff/tools/relay"
)

// Config is the configuration of a workspace. Name, Dir and Now are required.
type Config struct {
	Name    string // of the workspace, for errors
	Dir     string // of its files; made when it does not exist
	Runtime string // XDG_RUNTIME_DIR
	Stays   bool   // see [relay.Config]
	Version string // of this program

	Cluster *cluster.Node // the cluster of the database that has the workspace; nil for a workspace in files in Dir

	Crowded func(many bool) // see [relay.Config]

	Now   func() time.Time
	Awake func() time.Duration // see [mailbox.Config]

	Limits   schemas.Limits
	Lease    time.Duration // see [mailbox.Config]
	LeaseMax time.Duration
	Secrets  tools.Secrets // see [tools.Local]

	// Logger is for events of this process. The work of this process for others as the owner of the store is in the
	// log of the workspace, see package journal.
	Logger *slog.Logger
}

// Workspace returns access to the mailboxes of a workspace. The first call makes missing mailboxes. Workspace itself
// opens no file: the first call opens the store, or finds the process that has it open. Errors are *[schemas.Error].
func Workspace(ctx context.Context, c Config) (*relay.Relay, error) {
	shared := relay.Config{
		Name: c.Name, Dir: c.Dir, Runtime: c.Runtime, Files: []string{filepath.Join(c.Dir, workspace.StoreFile)},
		Stays: c.Stays, Crowded: c.Crowded,
		Version: c.Version, Now: c.Now, Logger: c.Logger,
	}
	rows := c.openFile
	if c.Cluster != nil {
		seat := c.Cluster.Election(c.Name)
		shared.Election, shared.Files = seat, nil
		rows = func(ctx context.Context, _ *slog.Logger) (store.Backend, error) { return seat.Open(ctx) }
	}
	shared.Open = func(ctx context.Context, alone bool) (relay.Store, error) { return c.openMailboxes(ctx, alone, rows) }
	return relay.Open(ctx, shared)
}

// EmptyMailboxes returns empty mailboxes in memory, for commands that only read a workspace that does not exist. The
// result needs no Close.
func EmptyMailboxes(now func() time.Time) tools.Invoker {
	return tools.Local{Logger: slog.New(slog.DiscardHandler), Mailbox: mailbox.New(mailbox.Config{
		Store: store.New(memory.New()), NewID: newID, Alone: true, Now: now,
	})}
}

// mailboxes has the open mailboxes of one workspace.
type mailboxes struct {
	tools.Local
	store    *store.Store
	closeLog func() error
}

// openLog returns the log for the owner's work: the journal in the directory of the workspace. A node of a cluster has
// one log for all workspaces; its closeLog does nothing.
func (c Config) openLog() (log *slog.Logger, closeLog func() error) {
	if c.Cluster != nil {
		return c.Logger.With(slog.String("workspace", c.Name)), func() error { return nil }
	}
	return journal.New(c.Dir)
}

// An openFunc opens the rows of a workspace. It logs to the given logger.
type openFunc func(context.Context, *slog.Logger) (store.Backend, error)

func (c Config) openMailboxes(ctx context.Context, alone bool, rows openFunc) (relay.Store, error) {
	log, closeLog := c.openLog()
	backend, err := rows(ctx, log)
	if err != nil {
		return nil, explainOpenError(c, errors.Join(err, closeLog()))
	}
	if err := travel.CheckUsable(ctx, backend); err != nil {
		return nil, explainOpenError(c, errors.Join(err, backend.Close(), closeLog()))
	}
	timed := store.NewTimedBackend(backend, c.Now)
	m := &mailboxes{store: store.New(timed), closeLog: closeLog}
	m.Local = tools.Local{Logger: log, Secrets: c.Secrets, Mailbox: mailbox.New(mailbox.Config{
		Store: m.store, NewID: newID, Alone: alone,
		Now: c.Now, Awake: c.Awake,
		Limits: c.Limits, Lease: c.Lease, LeaseMax: c.LeaseMax,
		Logger: log, Commits: timed.Commits, Failed: timed.LastError, WriteFile: backupWriter(backend),
		Free: freeSpaceOf(backend),
	})}
	return m, nil
}

// Close writes and closes the store. It may be called twice.
func (m *mailboxes) Close() error { return errors.Join(m.store.Close(), m.closeLog()) }

// openFile opens the rows, and removes leftovers of killed commands.
func (c Config) openFile(ctx context.Context, log *slog.Logger) (store.Backend, error) {
	b, err := openEngine(ctx, c.Dir, log)
	if err == nil {
		removeLeftovers(c.Dir)
	}
	return b, err
}

// newID returns the prefix and 80 random bits: too many to guess, and short enough to read aloud.
func newID(prefix string) string {
	return prefix + "_" + strings.ToLower(rand.Text()[:16])
}

// explainOpenError turns an error of opening a workspace into one for the caller, with a remedy.
func explainOpenError(c Config, err error) error {
	if refused := explainUnusable(c.Name, err); refused != nil {
		return refused
	}
	switch {
	case c.Cluster != nil:
		return c.Cluster.Election(c.Name).Unusable(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return schemas.Errorf(schemas.Unavailable, "interrupted while opening workspace %s: %w", c.Name, err)
	case errors.Is(err, store.ErrLocked):
		const said = "another program has the store of workspace %s open and does not share it"
		return schemas.Errorf(schemas.Unavailable, said, c.Name).
			WithHint("It may be a handoff that was stopped (Ctrl-Z) or an older one: end it. " +
				"Or use another workspace with --workspace NAME.")
	case errors.Is(err, store.ErrNewer):
		return schemas.Errorf(schemas.Unavailable, "workspace %s: %w", c.Name, err).
			WithHint("Install the newest handoff. Nothing was changed.")
	case errors.Is(err, store.ErrForeign), errors.Is(err, store.ErrCorrupt):
		refused := schemas.Errorf(schemas.Internal, "the file of workspace %s: %w", c.Name, err)
		switch {
		case platform.Exists(keptStorePath(c.Dir)):
			return refused.WithHint("What was there before the last restore is kept: handoff restore --undo puts it back. Nothing was changed.")
		case errEmptied(c.Dir) != nil:
			return refused.WithHint("Put a backup in its place with handoff restore FILE --replace, which keeps this one. "+
				"To begin anew without what it held, remove %s. Nothing was changed.", filepath.Join(c.Dir, workspace.StoreFile))
		}
		return refused.
			WithHint("Look at %s, put a backup in its place with handoff restore FILE --replace, which keeps this one, "+
				"or use another workspace with --workspace NAME. Nothing was changed.", c.Dir)
	case errors.Is(err, store.ErrFull):
		return schemas.Errorf(schemas.Unavailable, "workspace %s: %w", c.Name, err).
			WithHint("Free space on the disk of %s. Nothing was changed.", c.Dir)
	}
	return relay.Unusable(c.Name, c.Dir, err)
}
