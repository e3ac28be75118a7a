package postgres

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"handoff/store"
)

// Errors that a person has to fix. They arrive with the text of the database, so compare with [errors.Is].
var (
	// ErrAddress means that the connection string is invalid.
	ErrAddress = errors.New("the connection string cannot be read")

	// ErrLogin means that the database does not let this user in: its password is wrong, it has none, or there is no
	// such user.
	ErrLogin = errors.New("the database does not let this user in")

	// ErrNoDatabase means that the server has no database of the name.
	ErrNoDatabase = errors.New("there is no such database")

	// ErrNotAllowed means that the user lacks a privilege.
	ErrNotAllowed = errors.New("this user of the database may not do that")

	// ErrNoTables means that the tables are missing, see [Prepare].
	ErrNoTables = errors.New("the database has no tables of handoff")
)

// errBlocked means that another transaction holds a lock that this one needs.
var errBlocked = errors.New("another transaction is under way")

// causes maps error codes of the database, or their classes of two characters, to errors.
var causes = map[string]error{
	"08":    store.ErrUnreachable, // connection_exception, and all errors of pgbouncer
	"28":    ErrLogin,             // invalid_authorization_specification
	"3D":    ErrNoDatabase,        // invalid_catalog_name
	"3F000": ErrNotAllowed,        // invalid_schema_name: the user sees none
	"25006": store.ErrReadOnly,    // read_only_sql_transaction
	"42501": ErrNotAllowed,        // insufficient_privilege
	"42P01": ErrNoTables,          // undefined_table
	"55P03": errBlocked,           // lock_not_available
	"53100": store.ErrFull,        // disk_full
	"53300": store.ErrUnreachable, // too_many_connections
	"57P01": store.ErrUnreachable, // admin_shutdown
	"57P02": store.ErrUnreachable, // crash_shutdown
	"57P03": store.ErrUnreachable, // cannot_connect_now
}

// classifyError wraps an error of the database in one of the errors of [causes], with a text of one line. It returns
// other errors unchanged.
func classifyError(err error) error {
	cause := knownCauseOf(err)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return &databaseError{cause, err}
}

func knownCauseOf(err error) error {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && len(pgErr.Code) == 5 {
		if cause := causes[pgErr.Code]; cause != nil {
			return cause
		}
		return causes[pgErr.Code[:2]]
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, broken := errors.AsType[net.Error](err)
	if connecting || broken || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err) {
		return store.ErrUnreachable
	}
	return nil
}

// databaseError is an error of the database and its meaning.
type databaseError struct{ cause, err error }

func (f *databaseError) Error() string {
	return fmt.Sprintf("%v: %s", f.cause, strings.Join(strings.Fields(f.err.Error()), " "))
}

func (f *databaseError) Unwrap() []error { return []error{f.cause, f.err} }

// isCertainlyRefused reports whether the database certainly did not keep a commit whose first attempt failed with err.
// It is false for an error of a server that shuts down, or of a pooler.
func isCertainlyRefused(err error) bool {
	_, answered := errors.AsType[*pgconn.PgError](err)
	return answered && !errors.Is(err, store.ErrUnreachable) || pgconn.SafeToRetry(err)
}
