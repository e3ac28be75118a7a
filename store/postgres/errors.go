package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"handoff/store"
)

// classify turns an error of the database into one of package store that wraps it. It returns other errors as they are.
func classify(err error) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	switch refused.Code {
	case "25006": // read_only_sql_transaction
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	case "53100": // disk_full
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// refused tells of a commit that failed whether it is known that it was not kept.
func refused(err error) bool {
	_, said := errors.AsType[*pgconn.PgError](err)
	return said || errors.Is(err, store.ErrFenced) || pgconn.SafeToRetry(err)
}
