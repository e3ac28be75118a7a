// Package registry reads back what happened in a workspace, and proves it: the events as they come, the whole of them
// held against the records, their Merkle tree, and copies of all of it for others. It also counts what there is, for
// those who watch the workspace.
//
// Package mailbox keeps the events, each in the transaction of the change that it tells of, and has the methods of a
// [Registry] among its own. Of the store a registry changes only what the clock has changed, and that through
// ApplyTime of its [Config]. An export is a file for temporary files of this machine.
//
// An export is a file that the owner writes from one snapshot, which takes seconds. Whoever asked for it reads the
// file in parts, so a slow reader holds no snapshot, and each call remains one answer. Pages of many moments would
// not fit their events, because records change.
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
	Hub   *longpoll.Hub // tells of changes

	// ApplyTime applies what the clock has changed. Where it cannot, what is known is shown all the same.
	ApplyTime func(context.Context)

	// Sleep waits until it is woken or until a time, and applies what the clock changes meanwhile. The error is
	// unavailable when ctx ends.
	Sleep func(ctx context.Context, woken <-chan struct{}, until time.Time) error

	Failed    func() error                                 // why the last commit could not be kept
	Commits   func() schemas.Latency                       // how long commits took
	WriteFile func(ctx context.Context, path string) error // writes the store as it is now into a file that exists
}

// Registry answers what is asked about the events of one workspace. Its methods may be called concurrently, and change
// nothing but what the clock has changed. Errors are *[schemas.Error].
type Registry struct {
	config Config
	ended  endedCount
}

// New makes a registry. There is nothing to close.
func New(c Config) *Registry { return &Registry{config: c} }

// Head gives the number of the newest event, 0 for none, and tells why the last commit could not be kept, if one could
// not. A watcher calls it to begin with what comes from now on, and whoever checks the health of a server. It neither
// writes nor applies what the clock has changed, so it answers on a full disk, too. The errors are those of the store.
func (r *Registry) Head(ctx context.Context, _ schemas.Caller, _ schemas.NewestIn) (out schemas.NewestOut, err error) {
	out.Event, err = store.ReadSnapshot(ctx, r.config.Store, (*store.View).Events)
	if err == nil && r.config.Failed != nil {
		if failed := r.config.Failed(); failed != nil {
			out.Failing = schemas.AsError(store.Coded(failed)).Message
		}
	}
	return out, err
}

// Audit walks the whole registry, from the first event, and compares it with the records and with what was said. A
// person calls it with handoff audit verify; it takes about as long as reading the whole store, and nobody is kept from
// working meanwhile. It changes nothing and can be repeated. What does not agree is in the result; an error is only
// that the store cannot be read.
func (r *Registry) Audit(ctx context.Context, _ schemas.Caller, in schemas.AuditIn) (schemas.AuditOut, error) {
	out, err := audit.Registry(ctx, r.config.Store, in.Sizes...)
	return out, store.Coded(err)
}

// Check looks at the whole store: how its rows lie on the disk, index rows, counters and all that can be held against
// something, and the registry as [Registry.Audit] does. A person calls it with handoff check. It takes about twice as
// long as an audit. It changes nothing and can be repeated; what is wrong is in the result.
func (r *Registry) Check(ctx context.Context, _ schemas.Caller, _ schemas.CheckIn) (schemas.CheckOut, error) {
	out, err := audit.Examine(ctx, r.config.Store, reading.Words)
	return out, store.Coded(err)
}

// Backup writes the store as it is now into a file that the caller made, whose path is absolute. The command handoff
// backup calls it, verifies the file and gives it its name. Nobody is kept from working meanwhile. The error is
// conflict where the store is in no file, and not_found where the owner does not see the file that the caller made, as
// in another container.
func (r *Registry) Backup(ctx context.Context, _ schemas.Caller, in schemas.BackupIn) (out schemas.BackupOut, err error) {
	if r.config.WriteFile == nil {
		return out, schemas.Errorf(schemas.Conflict, "the workspace is in no file of its owner").
			WithHint("With HANDOFF_STORE handoff backup reads it from the database by itself.")
	}
	return out, store.Coded(r.config.WriteFile(ctx, in.File))
}

// readCurrent is [store.ReadSnapshot] after applying what the clock has changed.
func readCurrent[Out any](ctx context.Context, r *Registry, fn func(*store.View) (Out, error)) (Out, error) {
	r.config.ApplyTime(ctx)
	return store.ReadSnapshot(ctx, r.config.Store, fn)
}

// Tree gives the head of the registry, or an older one. The commands audit call it, which sign it. It reads about log2
// of the events, changes nothing, and applies nothing that the clock has changed. The error is invalid where the
// registry has not so many events, and else that of the store.
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

// RawEvents gives the next events of the registry after one, 256 at most, as they are kept. Whoever computes the tree
// anew calls it: the command audit export. It changes nothing. The errors are those of the store.
func (r *Registry) RawEvents(ctx context.Context, _ schemas.Caller, in schemas.EventsIn) (schemas.EventsOut, error) {
	return store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (out schemas.EventsOut, err error) {
		out.Events, err = reading.Collect(reading.AtMost(maxChanges, v.RawEvents(in.After)))
		return out, err
	})
}
