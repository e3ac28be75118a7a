// Package open makes a workspace's mailboxes callable. It says how the store that holds them is opened and
// put under the rules, and in words that a caller can act on why it could not; which process does that is
// the business of the relay.
package open

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/journal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/tools"
	"handoff/tools/relay"
)

// Config says what to open. Name, Dir and Now are required.
type Config struct {
	Name    string // of the workspace, for errors
	Dir     string // where its files are; made if it is not there
	Runtime string // XDG_RUNTIME_DIR
	Stays   bool   // the process lives until its client leaves, instead of for one call
	Version string // of this program

	Crowded func(many bool) // see [relay.Config]

	Now   func() time.Time
	Awake func() time.Duration // see [mailbox.Config]

	Limits   schemas.Limits
	Lease    time.Duration // see [mailbox.Config]
	LeaseMax time.Duration

	// Logger hears of what concerns this process. What it does for others, should it own the store, goes to
	// the log of the workspace.
	Logger *slog.Logger
}

// Workspace gives the way to the mailboxes of a workspace, which are made when they are new. The first call
// opens them, or finds who has them open. Errors are *[schemas.Error].
func Workspace(ctx context.Context, c Config) (*relay.Relay, error) {
	return relay.Open(ctx, relay.Config{
		Name: c.Name, Dir: c.Dir, Runtime: c.Runtime, Stays: c.Stays, Version: c.Version, Now: c.Now, Logger: c.Logger,
		Open: c.open, Files: []string{c.file()}, Crowded: c.Crowded,
	})
}

// mailboxes are those of one workspace, open in this process.
type mailboxes struct {
	tools.Local
	store *store.Store
	log   *journal.Journal
}

func (c Config) file() string { return filepath.Join(c.Dir, workspace.StoreFile) }

func (c Config) open(ctx context.Context, alone bool) (relay.Store, error) {
	log := journal.New(c.Dir)
	backend, err := take(ctx, c.file(), log.Logger())
	if err != nil {
		return nil, explain(c, errors.Join(err, log.Close()))
	}
	timed := store.NewTimed(backend, c.Now)
	m := &mailboxes{store: store.New(timed), log: log}
	m.Local = tools.Local{Logger: log.Logger(), Mailbox: mailbox.New(mailbox.Config{
		Store: m.store, Now: c.Now, Awake: c.Awake, NewID: newID, Alone: alone,
		Limits: c.Limits, Lease: c.Lease, LeaseMax: c.LeaseMax, Logger: log.Logger(), Commits: timed.Commits, Failed: timed.Failed,
	})}
	return m, nil
}

// Close lets go of the store. It may be called twice.
func (m *mailboxes) Close() error { return errors.Join(m.store.Close(), m.log.Close()) }

const (
	attempts = 600
	pause    = 5 * time.Millisecond
)

// take opens the store. A process that was killed lets go of the lock of the workspace a moment before that
// of the file, and one whose files were removed needs a moment to notice.
func take(ctx context.Context, path string, log *slog.Logger) (s *bolt.Store, err error) {
	for range attempts {
		s, err = bolt.Open(ctx, bolt.Config{Path: path, Logger: log})
		if !errors.Is(err, store.ErrLocked) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil, err
}

// newID makes 80 random bits readable: long enough that nobody guesses it, short enough to say.
func newID(prefix string) string {
	return prefix + "_" + strings.ToLower(rand.Text()[:16])
}
