package open

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/tools"
)

// unwritableRows are the rows of a file that this process may only read. An update takes effect for its own call and is
// forgotten: even a call that only reads applies overdue time rules.
type unwritableRows struct {
	store.Backend
	cause error // of the system
}

// Update runs fn over the rows and drops its writes.
func (u unwritableRows) Update(ctx context.Context, fn func(store.Writer) error) error {
	return u.View(ctx, func(r store.Reader) error { return store.NewOverlay(r).Run(fn) })
}

// openUnwritable opens the rows of a command after openEngine failed with an error. If the error is another one than
// that the file cannot be written, openUnwritable returns this error.
func (c Config) openUnwritable(ctx context.Context, log *slog.Logger, failed error) (store.Backend, error) {
	if c.Stays || !errors.Is(failed, store.ErrReadOnly) {
		return nil, failed
	}
	b, err := openRows(ctx, bolt.Config{Path: filepath.Join(c.Dir, workspace.StoreFile), Logger: log, ReadOnly: true})
	if err != nil {
		return nil, failed
	}
	return unwritableRows{b, failed}, nil
}

// Invoke runs a tool. Over [unwritableRows] it refuses tools that do not only read. It also takes the declarations that
// precede such a call.
func (m *mailboxes) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if t, err := tools.FindTool(c.Tool); m.refusal != nil && err == nil && !t.ReadOnly && c.Tool != "agents_declare" {
		return nil, m.refusal
	}
	return m.LocalInvoker.Invoke(ctx, c)
}
