package postgres

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"handoff/store"
)

// Ownership is the ownership of one workspace, from one takeover to the next.
type Ownership struct {
	node      *Node
	workspace int64
	epoch     int64
	lapses    atomic.Int64 // of the node's lease, at the last check of the ownership
}

// Owner is the process that took a workspace over last. The zero Owner means that no process owns it.
type Owner struct {
	Epoch int64
	Note  string // the note of TakeOver; empty if the owner gave the workspace up
}

// Owner returns the owner of a workspace.
func (n *Node) Owner(ctx context.Context, workspace string) (o Owner, err error) {
	const query = `select epoch, coalesce(note, '') from handoff_workspace where name = $1`
	err = scanRow(n.Pool.QueryRow(ctx, query, workspace), nil, &o.Epoch, &o.Note)
	return o, classifyError(err)
}

// Workspace is a workspace of the database.
type Workspace struct {
	Name string
	Note string // of its owner; empty if no owner is active
}

// Workspaces returns all workspaces, or the one of a name, in the order of names.
func (n *Node) Workspaces(ctx context.Context, name string) ([]Workspace, error) {
	const query = `select name, coalesce(case when seen > clock_timestamp() - $2 * interval '1 second' then note end, '')
		from handoff_workspace left join handoff_node on handoff_node.id = node
		where epoch > 0 and ($1 = '' or name = $1) order by name`
	ctx, end := context.WithTimeout(ctx, statementTimeout)
	defer end()
	found, _ := n.Pool.Query(ctx, query, name, leaseRunsOut.Seconds()) // CollectRows returns its error
	all, err := pgx.CollectRows(found, pgx.RowToStructByPos[Workspace])
	return all, classifyError(err)
}

// takeOverQuery makes a node the owner of a workspace, unless its owner is alive.
//
//go:embed takeover.sql
var takeOverQuery string

// TakeOver makes this node the owner of a workspace. Before is the last owner, as [Node.Owner] returned it. After the
// takeover, calls of the last owner return [store.ErrFenced]. The error is [store.ErrLocked] if another node has taken
// the workspace over first. If forced is false, it is also ErrLocked while the last owner may be active: its lease has
// not run out, and it is connected to the database.
func (n *Node) TakeOver(ctx context.Context, workspace, note string, before Owner, forced bool) (*Ownership, error) {
	o := &Ownership{node: n}
	err := pgx.BeginTxFunc(ctx, n.Pool, shortLockWait, func(tx pgx.Tx) error {
		var folded int64
		taken := tx.QueryRow(ctx, takeOverQuery, workspace, n.ID, note, before.Epoch, forced, leaseRunsOut.Seconds())
		if err := scanRow(taken, store.ErrLocked, &o.workspace, &o.epoch, &folded); err != nil {
			return err
		}
		return o.takeNextNumber(ctx, tx, folded)
	})
	if errors.Is(classifyError(err), errBlocked) {
		err = cmp.Or(n.terminateStaleConnections(ctx), store.ErrLocked)
	}
	if err != nil {
		return nil, classifyError(err)
	}
	lapses, _ := n.leaseState()
	o.lapses.Store(lapses)
	return o, nil
}

// shortLockWait begins a transaction that does not wait long for a lock.
var shortLockWait = pgx.TxOptions{BeginQuery: `begin; set local lock_timeout = '500ms'`}

// terminateStaleConnections ends the connections of nodes whose lease has run out. Otherwise a node that was stopped in
// the middle of a transaction would keep rows locked.
func (n *Node) terminateStaleConnections(ctx context.Context) error {
	const end = `select count(pg_terminate_backend(pid)) from pg_stat_activity join handoff_node on application_name = 'handoff ' || id
		where seen < clock_timestamp() - $1 * interval '1 second'`
	_, err := n.Pool.Exec(ctx, end, leaseRunsOut.Seconds())
	return err
}

// takeNextNumber takes the next number of the log for this owner. If the former owner takes it at the same moment,
// takeNextNumber tries the next one.
func (o *Ownership) takeNextNumber(ctx context.Context, tx pgx.Tx, folded int64) error {
	const query = `insert into handoff_log (workspace, number, epoch)
		select $1, greatest($2, coalesce(max(number), 0)) + 1, $3 from handoff_log where workspace = $1
		on conflict do nothing`
	for {
		done, err := tx.Exec(ctx, query, o.workspace, folded, o.epoch)
		if err != nil || done.RowsAffected() > 0 {
			return err
		}
	}
}

// CheckHeld returns [store.ErrFenced] if another node has taken the workspace over. It sends a request to the database
// only if the lease has run out since the last check. It may also return the error of that request.
func (o *Ownership) CheckHeld(ctx context.Context) error {
	lapses, held := o.node.leaseState()
	if held && lapses == o.lapses.Load() {
		return nil
	}
	const query = `select exists (select from handoff_workspace where id = $1 and epoch = $2)`
	holds, err := retryRead(ctx, func(ctx context.Context) (holds bool, err error) {
		err = o.node.Pool.QueryRow(ctx, query, o.workspace, o.epoch).Scan(&holds)
		return holds, err
	})
	if err != nil {
		return fmt.Errorf("ask who owns the workspace: %w", err)
	}
	if !holds {
		return store.ErrFenced
	}
	o.lapses.Store(lapses)
	return nil
}

// ReplaceNote replaces the note of this owner, which tells other processes how to reach it.
func (o *Ownership) ReplaceNote(ctx context.Context, note string) error {
	const set = `update handoff_workspace set note = $3 where id = $1 and epoch = $2`
	return classifyError(changeRow(ctx, o.node.Pool, store.ErrFenced, set, o.workspace, o.epoch, note))
}

// Release gives the workspace up, so that the next owner does not have to wait.
func (o *Ownership) Release(ctx context.Context) error {
	const give = `update handoff_workspace set node = null, note = null where id = $1 and epoch = $2`
	_, err := o.node.Pool.Exec(ctx, give, o.workspace, o.epoch)
	return classifyError(err)
}

// publishUnfolded reads the entries of the workspace's log that are not folded, and publishes them. The entry of the
// last takeover is empty.
func (s *Store) publishUnfolded(ctx context.Context) error {
	const query = `select number, spaces, keys, contents from handoff_log, handoff_workspace
		where workspace = $1 and id = $1 and number > folded order by number`
	var number int64
	var spaces []int16
	var keys, values [][]byte
	found, _ := s.table.in.Query(ctx, query, s.table.workspace) // ForEachRow returns its error
	_, err := pgx.ForEachRow(found, []any{&number, &spaces, &keys, &values}, func() error {
		writes := make([]rowWrite, len(spaces))
		for i, space := range spaces {
			if space < 1 || space > int16(store.Spaces) || len(keys) != len(spaces) || len(values) != len(spaces) {
				return fmt.Errorf("an entry of the log: %w", store.ErrCorrupt)
			}
			writes[i] = rowWrite{store.Space(space - 1), store.Row{Key: keys[i], Value: values[i]}}
		}
		s.publish(number, writes)
		return nil
	})
	return classifyError(err)
}

// ReplaceWorkspace renames two workspaces in one step. The workspace of o gets the name `before`. The workspace called
// `with`, which must have no owner, gets the old name of the workspace of o. The error is [store.ErrFenced] if another
// node has taken the workspace of o over, and [ErrNoWorkspace] if there is no workspace called `with`.
func (o *Ownership) ReplaceWorkspace(ctx context.Context, with, before string) error {
	const rename = `update handoff_workspace set name = $2 where id = $1`
	return classifyError(pgx.BeginTxFunc(ctx, o.node.Pool, shortLockWait, func(tx pgx.Tx) error {
		var name string
		const away = `with w as (select name from handoff_workspace where id = $1 and epoch = $2 for update)
			update handoff_workspace set name = w.name || '~' from w where id = $1 returning w.name`
		if err := scanRow(tx.QueryRow(ctx, away, o.workspace, o.epoch), store.ErrFenced, &name); err != nil {
			return err
		}
		err := changeRow(ctx, tx, ErrNoWorkspace, `update handoff_workspace set name = $2 where name = $1`, with, name)
		if err == nil {
			_, err = tx.Exec(ctx, rename, o.workspace, before)
		}
		return err
	}))
}

// Remove deletes a workspace that no process owns. The error is [ErrNoWorkspace] when there is none of the name.
func (n *Node) Remove(ctx context.Context, workspace string) error {
	const remove = `delete from handoff_workspace where name = $1 and note is null`
	return classifyError(changeRow(ctx, n.Pool, ErrNoWorkspace, remove, workspace))
}
