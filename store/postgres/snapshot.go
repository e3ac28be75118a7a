package postgres

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"handoff/store"
)

// ErrNoWorkspace means that the database has no workspace of the name.
var ErrNoWorkspace = errors.New("there is no such workspace in the database")

// Snapshot calls fn with the rows of a workspace as they are now. The owner of the workspace continues meanwhile. One
// goroutine may read the store, and nobody can write to it.
//
// It uses one read-only transaction, so it works at a standby too. The database ends the transaction if fn sends no
// request for a minute, so that a stopped process does not block the cleanup of rows.
func (n *Node) Snapshot(ctx context.Context, workspace string, fn func(store.Backend) error) error {
	begin := pgx.TxOptions{BeginQuery: `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '1min'`}
	var failed error // of fn: it is no error of the database
	err := pgx.BeginTxFunc(ctx, n.Pool, begin, func(tx pgx.Tx) error {
		s := &Store{cache: newCache(cacheBytes), table: &table{in: tx}}
		found := tx.QueryRow(ctx, `select id from handoff_workspace where name = $1 and epoch > 0`, workspace)
		if err := scanRow(found, ErrNoWorkspace, &s.table.workspace); err != nil {
			return err
		}
		if err := s.publishUnfolded(ctx); err != nil {
			return err
		}
		failed = fn(snapshot{&commitReader{Store: s, ctx: ctx, number: s.committed}})
		return failed
	})
	return cmp.Or(failed, classifyError(err))
}

// snapshot is a [store.Backend] that does not change.
type snapshot struct{ store.Reader }

func (s snapshot) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(s.Reader)
}

func (snapshot) Update(context.Context, func(store.Writer) error) error { return store.ErrReadOnly }

func (snapshot) Close() error { return nil }
