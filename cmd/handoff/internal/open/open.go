// Package open opens the mailboxes of a workspace. [Mailboxes] opens the engine that keeps the rows, and puts the store
// and the rules of the mailboxes above it. Its errors say how a caller can remedy them. Package [relay] decides which
// process opens the mailboxes.
//
// # Decisions
//
// A backup is a store file, for every engine. So a restore needs no second format, and a plain copy of handoff.db is a
// backup too. For a workspace in files, the owner writes the copy from one read transaction, because only the owner has
// the file open. It writes into a file that the command made. For a workspace in a database, any process can write the
// copy. The command verifies the copy before it gives the copy its name, so the owner spends no time on the
// verification.
//
// A restore keeps the replaced workspace until a person deletes it. Only a person knows whether it was the right
// backup. In a directory, a hard link keeps the old file, so that the store is never missing: a process that finds no
// store makes an empty one. In a database, both workspaces get their new names in one transaction.
//
// An import reads the file into a temporary store. Every line is verified and every row examined before the import
// changes the workspace. Hashes prove that nobody changed the file since the export, but not that handoff wrote it.
// Then the rows are copied into an unused workspace. An import never adds to a workspace that was used before: ids in
// records and texts would have to change, and a handoff would have two registries.
//
// A server starts even if its store is not available, because some clients never start a server again. Each call then
// gets the reason, and the next call tries again. The first call that needs a database connects to the database. Only
// an invalid connection string ends a server.
package open

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/journal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
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

	Now   func() time.Time
	Awake func() time.Duration // see [mailbox.Config]

	Limits   schemas.Limits
	Lease    time.Duration // see [mailbox.Config]
	LeaseMax time.Duration
	Secrets  tools.SecretHandling // see [tools.LocalInvoker]

	// Logger takes the messages of this process. As the owner of the store, the process also works for other processes.
	// Messages about this work are in the log of the workspace, see package journal.
	Logger *slog.Logger
}

// Mailboxes returns access to the mailboxes of a workspace. It opens no file itself. The first call opens the store, or
// finds the process that has the store open, and makes missing mailboxes. Errors are *[schemas.Error].
func Mailboxes(ctx context.Context, c Config) (*relay.Relay, error) {
	shared := relay.Config{
		Name: c.Name, Dir: c.Dir, Runtime: c.Runtime, Files: []string{filepath.Join(c.Dir, workspace.StoreFile)},
		Stays: c.Stays, Version: c.Version, Now: c.Now, Logger: c.Logger,
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

// EmptyMailboxes returns empty mailboxes in memory. Commands that only read use them if the workspace does not exist.
// The result needs no Close.
func EmptyMailboxes(now func() time.Time) tools.Invoker {
	return tools.LocalInvoker{Logger: slog.New(slog.DiscardHandler), Mailbox: mailbox.New(mailbox.Config{
		Store: store.New(memory.New()), NewID: newID, Alone: true, Now: now,
	})}
}

// mailboxes has the open mailboxes of one workspace.
type mailboxes struct {
	tools.LocalInvoker
	store    *store.Store
	closeLog func() error
	refusal  error // of calls that do not only read, over [unwritableRows]
}

// openLog opens the log for the owner's work: the journal in the directory of the workspace. The exception is a node of
// a cluster: it has one log for all workspaces, and closeLog does nothing.
func (c Config) openLog() (log *slog.Logger, closeLog func() error) {
	if c.Cluster != nil {
		return c.Logger.With(slog.String("workspace", c.Name)), func() error { return nil }
	}
	return journal.New(c.Dir)
}

// openFunc opens the rows of a workspace, and writes its messages to the logger.
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
	m.LocalInvoker = tools.LocalInvoker{Logger: log, Secrets: c.Secrets, Mailbox: mailbox.New(mailbox.Config{
		Store: m.store, NewID: newID, Alone: alone,
		Now: c.Now, Awake: c.Awake,
		Limits: c.Limits, Lease: c.Lease, LeaseMax: c.LeaseMax,
		Logger: log, Commits: timed.Commits, Failed: timed.LastError, WriteFile: backupWriter(backend),
		Free: freeSpaceOf(backend),
	})}
	if rows, unwritable := backend.(unwritableRows); unwritable {
		m.refusal = relay.UnusableError(c.Name, c.Dir, rows.cause)
	}
	return m, nil
}

// Close writes and closes the store. It may be called twice.
func (m *mailboxes) Close() error { return errors.Join(m.store.Close(), m.closeLog()) }

// openFile opens the rows, and removes leftovers of killed commands.
func (c Config) openFile(ctx context.Context, log *slog.Logger) (store.Backend, error) {
	b, err := openEngine(ctx, c.Dir, log)
	if err != nil {
		return c.openUnwritable(ctx, log, err)
	}
	path := filepath.Join(c.Dir, workspace.StoreFile)
	_ = errors.Join(bolt.RemoveLeftovers(path), os.Remove(restoringFile(path))) // they only take space
	return b, nil
}

// newID returns the prefix with 80 random bits. An id cannot be guessed, and is short enough to read aloud.
func newID(prefix string) string {
	return prefix + "_" + strings.ToLower(rand.Text()[:16])
}

// explainOpenError turns an error of opening a workspace into an error with a remedy for the caller.
func explainOpenError(c Config, err error) error {
	if refused := explainUnusableStore(c.Name, err); refused != nil {
		return refused
	}
	switch {
	case c.Cluster != nil:
		return c.Cluster.Election(c.Name).UnusableError(err)
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
		refused := store.DamagedError(fmt.Errorf("the file of workspace %s: %w", c.Name, err))
		switch {
		case platform.Exists(keptStoreFile(c.Dir)):
			refused.Hint += " What was there before the last restore is kept: handoff restore --undo puts it back."
		case checkNotEmptied(c.Dir) != nil:
			refused.Hint += " To begin anew without what it held, remove " + filepath.Join(c.Dir, workspace.StoreFile) + "."
		}
		return refused
	case errors.Is(err, store.ErrFull):
		return schemas.Errorf(schemas.Unavailable, "workspace %s: %w", c.Name, err).
			WithHint("Free space on the disk of %s. Nothing was changed.", c.Dir)
	}
	return relay.UnusableError(c.Name, c.Dir, err)
}
