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

// Errors that a person has to mend. They arrive with what the database said, so compare with [errors.Is].
var (
	// ErrAddress means that the connection string is none.
	ErrAddress = errors.New("the connection string cannot be read")

	// ErrLogin means that the database does not let this user in: its password is wrong, it has none, or there is no
	// such user.
	ErrLogin = errors.New("the database does not let this user in")

	// ErrNoDatabase means that the server has no database of the name.
	ErrNoDatabase = errors.New("there is no such database")

	// ErrNotAllowed means that the user lacks a privilege.
	ErrNotAllowed = errors.New("this user of the database may not do that")

	// ErrNoTables means that nobody has made the tables, see [Prepare].
	ErrNoTables = errors.New("the database has no tables of handoff")
)

// errBlocked means that another transaction has what this one wants.
var errBlocked = errors.New("another transaction is under way")

// causes are the conditions of the database by their codes, or by classes of these, which have two characters.
var causes = map[string]error{
	"08":    store.ErrUnreachable, // connection_exception, also whatever pgbouncer says
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

// classify turns an error of the database into one of those that wraps it, in one line. It returns other errors as they
// are.
func classify(err error) error {
	cause := causeOf(err)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return &failure{cause, err}
}

func causeOf(err error) error {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok && len(said.Code) == 5 {
		if cause := causes[said.Code]; cause != nil {
			return cause
		}
		return causes[said.Code[:2]]
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, broken := errors.AsType[net.Error](err)
	if connecting || broken || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err) {
		return store.ErrUnreachable
	}
	return nil
}

// A failure is an error of the database and what it means.
type failure struct{ cause, said error }

func (f *failure) Error() string {
	return fmt.Sprintf("%v: %s", f.cause, strings.Join(strings.Fields(f.said.Error()), " "))
}

func (f *failure) Unwrap() []error { return []error{f.cause, f.said} }

// isRefused tells of the first commit that failed whether it is known that it was not kept. A server that shuts down says
// so also when it has kept the commit already, and a pooler when it does not know.
func isRefused(err error) bool {
	_, said := errors.AsType[*pgconn.PgError](err)
	return said && !errors.Is(err, store.ErrUnreachable) || pgconn.SafeToRetry(err)
}
