// Package registry reads the history of a workspace and proves it: it yields events as they come, compares all events
// with the records, computes their Merkle tree, and exports copies. It also counts handoffs and mailboxes, for
// monitoring.
//
// Package mailbox writes the events, each in the transaction of its change, and embeds the methods of a [Registry]. A
// registry writes nothing to the store but changes that are due by time, through ApplyTime of its [Config]. An export
// is a temporary file of this machine.
//
// The owner writes an export from one snapshot, which takes seconds. The caller reads the file in parts, so a slow
// reader holds no snapshot, and each call stays one answer. Pages of several moments would not fit together, because
// records change.
package registry

import (
	"cmp"
	"context"
	"time"

	"handoff/mailbox/longpoll"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

// Config wires a [Registry]. Failed, Commits and WriteFile may be nil.
type Config struct {
	Store *store.Store
	Now   func() time.Time
	Hub   *longpoll.Hub // announces changes

	// ApplyTime applies changes that are due by time. If it cannot, the stored state is shown all the same.
	ApplyTime func(context.Context)

	// Sleep waits for woken or until a time, and applies changes of time meanwhile. The error is unavailable when ctx
	// ends.
	Sleep func(ctx context.Context, woken <-chan struct{}, until time.Time) error

	Failed    func() error                                 // why the last commit failed, nil if it did not
	Commits   func() schemas.Latency                       // how long commits took
	WriteFile func(ctx context.Context, path string) error // writes the current store into an existing file
}

// Registry answers queries about the events of one workspace. Its methods may be called concurrently, and change
// nothing but overdue records. Errors are *[schemas.Error].
type Registry struct {
	config Config
	ended  endedCount
}

// New makes a registry. It needs no closing.
func New(c Config) *Registry { return &Registry{config: c} }

// Head returns the number of the newest event, 0 for none, and why the last commit failed, if it did. Watchers call it
// to begin with later events; health checks of a server call it, too. It neither writes nor applies changes of time, so
// it answers on a full disk, too. All errors come from the store.
func (r *Registry) Head(ctx context.Context, _ schemas.Caller, _ schemas.NewestIn) (out schemas.NewestOut, err error) {
	out.Event, err = store.ReadSnapshot(ctx, r.config.Store, (*store.View).Events)
	if err == nil && r.config.Failed != nil {
		if failed := r.config.Failed(); failed != nil {
			out.Failing = schemas.AsError(store.Coded(failed)).Message
		}
	}
	return out, err
}

// Audit reads the whole registry, from the first event, and compares it with the records and their content. A person
// calls it with handoff audit verify. It takes about as long as reading the whole store, and blocks no other call. It
// changes nothing and can be repeated. Faults are in the result; the only error is a store that cannot be read.
func (r *Registry) Audit(ctx context.Context, _ schemas.Caller, in schemas.AuditIn) (schemas.AuditOut, error) {
	out, err := audit.Registry(ctx, r.config.Store, in.Sizes...)
	return out, store.Coded(err)
}

// Check checks the whole store: its rows on disk, its indexes, counters and all other redundant rows, and the registry
// as [Registry.Audit] does. A person calls it with handoff check. It takes about twice as long as an audit. It changes
// nothing and can be repeated; faults are in the result.
func (r *Registry) Check(ctx context.Context, _ schemas.Caller, _ schemas.CheckIn) (schemas.CheckOut, error) {
	out, err := audit.Examine(ctx, r.config.Store, reading.Words)
	return out, store.Coded(err)
}

// Backup writes the current store into a file that the caller made; the path is absolute. The command handoff backup
// calls it, verifies the file and gives it its name. It blocks no other call. The error is conflict if the store is not
// in a file, and not_found if the owner cannot see the caller's file, as in another container.
func (r *Registry) Backup(ctx context.Context, _ schemas.Caller, in schemas.BackupIn) (out schemas.BackupOut, err error) {
	if r.config.WriteFile == nil {
		return out, schemas.Errorf(schemas.Conflict, "the workspace is in no file of its owner").
			WithHint("With HANDOFF_STORE handoff backup reads it from the database by itself.")
	}
	return out, store.Coded(r.config.WriteFile(ctx, in.File))
}

// readCurrent applies changes that are due by time, and then does the same as [store.ReadSnapshot].
func readCurrent[Out any](ctx context.Context, r *Registry, fn func(*store.View) (Out, error)) (Out, error) {
	r.config.ApplyTime(ctx)
	return store.ReadSnapshot(ctx, r.config.Store, fn)
}

// Tree returns the head of the registry, or an older one. The audit commands call it and sign the result. It reads
// about log2 of the number of events, changes nothing, and applies no time rules. The error is invalid if the registry
// has fewer events. Other errors come from the store.
func (r *Registry) Tree(ctx context.Context, _ schemas.Caller, in schemas.TreeIn) (schemas.TreeOut, error) {
	return store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (out schemas.TreeOut, err error) {
		events, err := v.Events()
		if err != nil {
			return out, err
		}
		if out.Size = cmp.Or(in.Size, events); out.Size > events {
			return out, schemas.Invalidf("size", "there are %d events, and not %d", events, out.Size)
		}
		out.Root, err = v.Tree().Root(int64(out.Size)) //nolint:gosec // events are counted
		return out, err
	})
}

// RawEvents returns the next events of the registry after one, 256 at most, as they are stored. The command audit
// export calls it to compute the tree anew. It changes nothing. All errors come from the store.
func (r *Registry) RawEvents(ctx context.Context, _ schemas.Caller, in schemas.EventsIn) (schemas.EventsOut, error) {
	return store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (out schemas.EventsOut, err error) {
		out.Events, err = reading.Collect(reading.AtMost(maxChanges, v.RawEvents(in.After)))
		return out, err
	})
}
