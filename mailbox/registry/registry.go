// Package registry reads the history of a workspace and proves that it is unchanged: it yields events as they are
// written, compares all events with the records of handoffs, computes the Merkle tree of the events, and exports
// copies. It also counts handoffs and mailboxes, for monitoring.
//
// Package mailbox writes the events, each in the transaction of its change, and embeds the methods of a [Registry]. A
// registry writes nothing to the store but changes that are due by time, through ApplyTime of its [Config]. An export
// is a temporary file of this machine.
//
// The process that owns the store writes an export from one snapshot into a file, which takes seconds. The caller then
// reads the file in parts, one part for each call, so a slow caller keeps no snapshot open. The parts cannot be read
// from the store directly, because records change between the calls and the parts would not fit together.
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

	// ApplyTime applies changes that are due by time. If the changes cannot be written, the registry shows the stored
	// state.
	ApplyTime func(context.Context)

	// Sleep waits for woken or until a time, and applies changes of time meanwhile. The error is unavailable when ctx
	// ends.
	Sleep func(ctx context.Context, woken <-chan struct{}, until time.Time) error

	Failed    func() error                                 // why the last commit failed, nil if it did not
	Commits   func() schemas.LatencyHistogram              // how long commits took
	WriteFile func(ctx context.Context, path string) error // writes the current store into an existing file
}

// Registry answers queries about the events of one workspace. Its methods may be called concurrently. They change only
// records for which a change is due by time. Errors are *[schemas.Error].
type Registry struct {
	config Config
	ended  endedCountCache
}

// New makes a registry. It needs no closing.
func New(c Config) *Registry { return &Registry{config: c} }

// Head returns the number of the newest event, or 0 if there is none, and the reason why the last commit failed, if it
// did. Callers of [Registry.Changes] call Head first, to see only later events; health checks of a server call it, too.
// Head does not write, not even changes that are due by time, so it also answers when the disk is full. All errors come
// from the store.
func (r *Registry) Head(ctx context.Context, _ schemas.Caller, _ schemas.NewestIn) (out schemas.NewestOut, err error) {
	out.Event, err = store.ReadSnapshot(ctx, r.config.Store, (*store.View).EventCount)
	if err == nil && r.config.Failed != nil {
		if failed := r.config.Failed(); failed != nil {
			out.Failing = schemas.AsError(store.CodedError(failed)).Message
		}
	}
	return out, err
}

// Audit reads the whole registry, from the first event, and compares it with the records and their content. A person
// calls it with handoff audit verify. It takes about as long as reading the whole store, and blocks no other call. It
// changes nothing and can be repeated. Faults that it finds are in the result; it returns an error only if the store
// cannot be read.
func (r *Registry) Audit(ctx context.Context, _ schemas.Caller, in schemas.AuditIn) (schemas.AuditOut, error) {
	out, err := audit.VerifyRegistry(ctx, r.config.Store, in.Sizes...)
	return out, store.CodedError(err)
}

// Check checks the whole store: its rows on disk, its indexes, counters and all other rows that can be computed from
// the records, and the registry as [Registry.Audit] does. A person calls it with handoff check. It takes about twice as
// long as an audit. It changes nothing and can be repeated; faults are in the result.
func (r *Registry) Check(ctx context.Context, _ schemas.Caller, _ schemas.CheckIn) (schemas.CheckOut, error) {
	out, err := audit.ExamineStore(ctx, r.config.Store, reading.SearchWords)
	return out, store.CodedError(err)
}

// Backup writes a copy of the current store into a file that the caller has created; the path must be absolute. The
// command handoff backup calls Backup, verifies the file and then gives it its final name. Backup blocks no other call.
// The error is conflict if the workspace is in a database and not in a file. It is not_found if the process that owns
// the store cannot see the caller's file, for example because it runs in another container.
func (r *Registry) Backup(ctx context.Context, _ schemas.Caller, in schemas.BackupIn) (out schemas.BackupOut, err error) {
	if r.config.WriteFile == nil {
		return out, schemas.Errorf(schemas.Conflict, "the workspace is in no file of its owner").
			WithHint("With HANDOFF_STORE handoff backup reads it from the database by itself.")
	}
	return out, store.CodedError(r.config.WriteFile(ctx, in.File))
}

// readCurrent applies changes that are due by time, and then does the same as [store.ReadSnapshot].
func readCurrent[Out any](ctx context.Context, r *Registry, fn func(*store.View) (Out, error)) (Out, error) {
	r.config.ApplyTime(ctx)
	return store.ReadSnapshot(ctx, r.config.Store, fn)
}

// Tree returns the hash of the Merkle tree over all events, or over the first events up to a given number. The audit
// commands call it and sign the result. The number of its reads grows with the logarithm of the number of events. It
// changes nothing and applies no time rules. The error is invalid if the registry has fewer events than the given
// number. Other errors come from the store.
func (r *Registry) Tree(ctx context.Context, _ schemas.Caller, in schemas.TreeIn) (schemas.TreeOut, error) {
	return store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (out schemas.TreeOut, err error) {
		events, err := v.EventCount()
		if err != nil {
			return out, err
		}
		if out.Size = cmp.Or(in.Size, events); out.Size > events {
			return out, schemas.Invalidf("size", "there are %d events, and not %d", events, out.Size)
		}
		out.Root, err = v.TreeRows().Root(int64(out.Size)) //nolint:gosec // events are counted
		return out, err
	})
}

// RawEvents returns at most 256 events of the registry that follow a given event, in the form in which they are stored.
// The command audit export calls it to compute the Merkle tree anew. It changes nothing. All errors come from the
// store.
func (r *Registry) RawEvents(ctx context.Context, _ schemas.Caller, in schemas.EventsIn) (schemas.EventsOut, error) {
	return store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (out schemas.EventsOut, err error) {
		out.Events, err = reading.Collect(reading.AtMost(maxChanges, v.RawEvents(in.After)))
		return out, err
	})
}
