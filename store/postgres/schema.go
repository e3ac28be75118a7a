package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"handoff/store"
)

//go:embed schema.sql
var schema string

// layout is the version of the tables that this program reads and writes.
const layout = 2

// Prepare makes the tables if the database has none. Otherwise it checks that this program can use them. The errors
// wrap [store.ErrNewer] and [store.ErrReadOnly].
func Prepare(ctx context.Context, in txDatabase) error {
	ctx, end := context.WithTimeout(ctx, statementTimeout)
	defer end()
	if made, err := hasTables(ctx, in); err != nil || made {
		return classifyError(err)
	}
	unhurried := pgx.TxOptions{BeginQuery: `begin; set local lock_timeout = '4s'`} // others may be making them now
	return classifyError(pgx.BeginTxFunc(ctx, in, unhurried, func(tx pgx.Tx) error {
		// This lock makes sure that only one of several processes makes the tables. Its number is "handoff" in ASCII.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(29379570270004838)`); err != nil {
			return err
		}
		if made, err := hasTables(ctx, tx); err != nil || made {
			return err
		}
		_, err := tx.Exec(ctx, schema)
		return err
	}))
}

// txDatabase is a pool or one connection.
type txDatabase interface {
	querier
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// querier is a pool, a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// changeRow runs a statement that changes a row. The error is none if there is no such row.
func changeRow(ctx context.Context, in querier, none error, sql string, args ...any) error {
	done, err := in.Exec(ctx, sql, args...)
	if err == nil && done.RowsAffected() == 0 {
		return none
	}
	return err
}

// scanRow reads the columns of a row. The error is none if there is no row.
func scanRow(row pgx.Row, none error, columns ...any) error {
	err := row.Scan(columns...)
	if errors.Is(err, pgx.ErrNoRows) {
		return none
	}
	return err
}

// hasTables reports whether the database has the tables of this version. The error is [store.ErrNewer] if a newer
// program made them. It reads pg_class, because to_regclass alone may miss tables that another transaction made while
// this one waited for the lock.
func hasTables(ctx context.Context, of querier) (made bool, err error) {
	version := 0
	err = of.QueryRow(ctx, `select exists (select from pg_class where oid = to_regclass('handoff_schema'))`).Scan(&made)
	if err == nil && made {
		err = of.QueryRow(ctx, `select version from handoff_schema`).Scan(&version)
	}
	switch {
	case err == nil && version > layout:
		err = fmt.Errorf("the tables have version %d, and this program knows %d: %w", version, layout, store.ErrNewer)
	case err == nil && made && version < layout:
		err = fmt.Errorf("the tables have version %d, which this program does not read: "+
			"make a backup with the program that made them, drop them, and restore the backup", version)
	}
	return version == layout, err
}
