// Package open makes a workspace's mailboxes callable: it opens the store that holds them, puts the rules on
// top, and says in words that a caller can act on why it could not.
//
// One process at a time holds a store. A command holds it for the moment of its call, so others wait for it;
// a server holds it while it runs and leaves a note about itself, so that others need not wait to tell why
// they cannot go on.
package open

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/tools"
)

// Config says what to open. Name, Dir and Now are required.
type Config struct {
	Name   string // of the workspace, for errors
	Dir    string // where its files are; made if it is not there
	Server bool   // stays open until its client leaves, instead of for one call
	Now    func() time.Time

	Limits   schemas.Limits
	Lease    time.Duration // see [mailbox.Config]
	LeaseMax time.Duration

	Logger *slog.Logger
}

// Mailboxes are those of one workspace, open.
type Mailboxes struct {
	tools.Invoker
	store *store.Store
	note  string // path of the note about this process, if it is a server
}

// Workspace opens the mailboxes of a workspace and makes them when they are new. Errors are *[schemas.Error].
func Workspace(ctx context.Context, c Config) (*Mailboxes, error) {
	if err := prepare(c.Dir); err != nil {
		return nil, explain(c, err)
	}
	backend, err := take(ctx, c)
	if err != nil {
		return nil, explain(c, err)
	}
	m := &Mailboxes{store: store.New(backend)}
	if m.note, err = leaveNote(c); err != nil {
		return nil, errors.Join(explain(c, err), m.Close())
	}
	m.Invoker = tools.Local{Logger: c.Logger, Mailbox: mailbox.New(mailbox.Config{
		Store: m.store, Now: c.Now, NewID: newID,
		Limits: c.Limits, Lease: c.Lease, LeaseMax: c.LeaseMax, Logger: c.Logger,
	})}
	return m, nil
}

// Close lets go of the store. It may be called twice.
func (m *Mailboxes) Close() error {
	var err error
	if m.note != "" {
		err = os.Remove(m.note)
		m.note = ""
	}
	return errors.Join(m.store.Close(), err)
}

// prepare makes the directory of the workspace, for its owner only: handoffs hold what agents know.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(dir, 0o700) //nolint:gosec // a directory is entered by its x bit
}

const (
	attempts = 40
	pause    = 25 * time.Millisecond // between attempts: a command holds the store for less
)

// take opens the store, waiting for commands that hold it for a moment.
func take(ctx context.Context, c Config) (*bolt.Store, error) {
	removeStale(c.Dir)
	for range attempts - 1 {
		s, err := tryTake(ctx, c)
		if !errors.Is(err, store.ErrLocked) || owner(c.Dir) != 0 {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return tryTake(ctx, c)
}

func tryTake(ctx context.Context, c Config) (*bolt.Store, error) {
	return bolt.Open(ctx, bolt.Config{Path: filepath.Join(c.Dir, "handoff.db"), Logger: c.Logger})
}

// newID makes 80 random bits readable: long enough that nobody guesses it, short enough to say.
func newID(prefix string) string {
	return prefix + "_" + strings.ToLower(rand.Text()[:16])
}
