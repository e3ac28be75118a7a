package postgres

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"handoff/store"
)

//go:embed schema.sql
var schema string

// layout is the version of the tables that this program reads and writes.
const layout = 1

// Prepare makes the tables in a database that has none, and says whether this program can use those that are there. The
// errors wrap [store.ErrNewer] and [store.ErrReadOnly].
func Prepare(ctx context.Context, pool *pgxpool.Pool) error {
	return classify(pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// Of several processes one makes the tables; "handoff" in ASCII.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(29379570270004838)`); err != nil {
			return err
		}
		if version, err := versionOf(ctx, tx); err != nil || version == layout {
			return err
		} else if version > layout {
			return fmt.Errorf("the tables have version %d, and this program knows %d: %w", version, layout, store.ErrNewer)
		}
		_, err := tx.Exec(ctx, schema)
		return err
	}))
}

// versionOf is the version of the tables, and zero where there are none.
func versionOf(ctx context.Context, tx pgx.Tx) (version int, err error) {
	there := false
	if err := tx.QueryRow(ctx, `select to_regclass('handoff_schema') is not null`).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = tx.QueryRow(ctx, `select version from handoff_schema`).Scan(&version)
	return version, err
}
