// Package registry reads the audit registry of a workspace: [Registry.Changes] yields events as they are written,
// [Registry.Audit] compares all events with the records, [Registry.Tree] returns the Merkle tree of the events, and
// [Registry.Export] copies the workspace. [Registry.Stats] counts handoffs and mailboxes.
//
// Package mailbox writes the events, and embeds the methods of a [Registry]. The registry itself only writes changes
// that are due by time. If it cannot write them, it shows the stored state.
package registry

import (
	"cmp"
	"context"
	"sync"
	"time"

	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

// Config wires a [Registry]. Failed, Commits and WriteFile may be nil.
type Config struct {
	*operation.Engine

	// Sleep waits until the channel woken is closed or until a time, and applies changes that are due by time. The
	// error is unavailable when ctx ends.
	Sleep func(ctx context.Context, woken <-chan struct{}, until time.Time) error

	Failed    func() error                                 // why the last commit failed, nil if it did not
	Commits   func() schemas.LatencyHistogram              // how long commits took
	WriteFile func(ctx context.Context, path string) error // writes the current store into an existing file
}

// Registry answers queries about the events of one workspace. Its methods may be called concurrently. Errors are
// *[schemas.Error].
type Registry struct {
	config Config

	mu      sync.Mutex // guards the fields below
	ended   map[schemas.Status]int
	endedAt time.Time // when they were counted
}

// New makes a registry. It needs no closing.
func New(c Config) *Registry { return &Registry{config: c} }

// Head returns the number of the newest event, or 0 if there is no event. If the last commit failed, it also returns
// the reason. Callers of [Registry.Changes] call Head first, to get only later events. Head writes nothing, so it also
// answers when the disk is full. All errors come from the store.
func (r *Registry) Head(ctx context.Context, _ schemas.Caller, _ schemas.NewestIn) (out schemas.NewestOut, err error) {
	out.Event, err = store.ReadSnapshot(ctx, r.config.Store, (*store.View).EventCount)
	if err == nil && r.config.Failed != nil {
		if failed := r.config.Failed(); failed != nil {
			out.Failing = schemas.AsError(store.CodedError(failed)).Message
		}
	}
	return out, err
}

// Audit compares the whole registry with the records and their content, for the command handoff audit verify. It takes
// as long as reading the whole store, and blocks no other call. The faults are in the result. It returns an error only
// if the store cannot be read.
func (r *Registry) Audit(ctx context.Context, _ schemas.Caller, in schemas.AuditIn) (schemas.AuditOut, error) {
	out, err := audit.VerifyRegistry(ctx, r.config.Store, in.Sizes...)
	return out, store.CodedError(err)
}

// Check checks the whole store for the command handoff check: the rows on disk, the indexes and counters, and the
// registry as [Registry.Audit] does. It takes about twice as long as an audit. The faults are in the result.
func (r *Registry) Check(ctx context.Context, _ schemas.Caller, _ schemas.CheckIn) (schemas.CheckOut, error) {
	out, err := audit.ExamineStore(ctx, r.config.Store, reading.SearchWords)
	return out, store.CodedError(err)
}

// Backup copies the store into an existing file with an absolute path, for the command handoff backup. It blocks no
// other call. The error is conflict if the workspace is in a database. The error is not_found if this process cannot
// see the file, for example because the process runs in another container.
func (r *Registry) Backup(ctx context.Context, _ schemas.Caller, in schemas.BackupIn) (out schemas.BackupOut, err error) {
	if r.config.WriteFile == nil {
		return out, schemas.Errorf(schemas.Conflict, "the workspace is in no file of its owner").
			WithHint("With HANDOFF_STORE handoff backup reads it from the database by itself.")
	}
	return out, store.CodedError(r.config.WriteFile(ctx, in.File))
}

// Tree returns the hash of the Merkle tree over all events, or over the first events up to a given number. The audit
// commands sign the result. It changes nothing and applies no time rules. The error is invalid if the registry has
// fewer events than the given number.
func (r *Registry) Tree(ctx context.Context, _ schemas.Caller, in schemas.TreeIn) (schemas.TreeOut, error) {
	return store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (out schemas.TreeOut, err error) {
		events, err := v.EventCount()
		if err != nil {
			return out, err
		}
		if out.Size = cmp.Or(in.Size, events); out.Size > events {
			return out, schemas.Invalidf("size", "there are not %s, but %d", schemas.CountNoun(out.Size, "event"), events)
		}
		out.Root, err = v.TreeRows().Root(int64(out.Size)) //nolint:gosec // events are counted
		return out, err
	})
}

// RawEvents returns at most 256 stored events after a given event, byte for byte. The command audit export computes the
// Merkle tree from them. All errors come from the store.
func (r *Registry) RawEvents(ctx context.Context, _ schemas.Caller, in schemas.EventsIn) (schemas.EventsOut, error) {
	return store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (out schemas.EventsOut, err error) {
		out.Events, err = reading.Collect(reading.AtMost(maxChanges, v.RawEvents(in.After)))
		return out, err
	})
}
