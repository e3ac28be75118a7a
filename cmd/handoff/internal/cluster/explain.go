package cluster

import (
	"errors"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/postgres"
)

// explainUnlessNil returns [ExplainDatabaseError] of err, or nil if err is nil.
func explainUnlessNil(workspace string, err error) error {
	if err == nil {
		return nil
	}
	return ExplainDatabaseError(workspace, err)
}

// ExplainDatabaseError turns an error of package postgres into an error for the caller, with a remedy. The message
// contains the database's text, but never the password. Workspace may be "".
func ExplainDatabaseError(workspace string, err error) *schemas.Error {
	where := "the database"
	if workspace != "" {
		where = "workspace " + workspace
	}
	for _, w := range remedies {
		if errors.Is(err, w.of) {
			e := schemas.Errorf(w.code, "%s: %w", where, err).WithHint("%s", w.hint)
			if errors.Is(w.of, store.ErrUnreachable) || errors.Is(w.of, store.ErrFull) { // other errors need a person
				e = e.WithRetryAfter(retryAfter)
			}
			return e
		}
	}
	return schemas.Errorf(schemas.Internal, "%s: %w", where, err).
		WithHint("The log of the database server may have the details.")
}

// remedies lists the code and the hint for each error of a database. The code unavailable stands for an error that may
// be temporary.
var remedies = []struct {
	of   error
	code schemas.Code
	hint string
}{
	{
		postgres.ErrAddress, schemas.Invalid,
		"Write it as postgres://USER@HOST:5432/DATABASE?sslmode=verify-full, with the signs of a password as % and their code, " +
			"or leave the password to PGPASSWORD or ~/.pgpass.",
	},
	{
		postgres.ErrLogin, schemas.Denied,
		"Look at the user and its password: in the connection string, PGPASSWORD or ~/.pgpass. pg_hba.conf of the server says who may connect from where.",
	},
	{postgres.ErrNoDatabase, schemas.Invalid, "Correct the name in the connection string, or make the database with createdb."},
	{
		postgres.ErrNotAllowed, schemas.Denied,
		"Connect once as a user who may make tables, and give this one the privileges that docs/postgres.md lists.",
	},
	{postgres.ErrNoTables, schemas.Unavailable, "Connect once as a user who may make tables: handoff makes them."},
	{store.ErrNewer, schemas.Unavailable, "Install the newest handoff. Nothing was changed."},
	{
		store.ErrReadOnly, schemas.Unavailable,
		"It is a standby, or set to be read-only. Connect to the primary: name all servers in the connection string, and add target_session_attrs=read-write.",
	},
	{postgres.ErrNoWorkspace, schemas.NotFound, "handoff workspace list shows which there are."},
	{store.ErrFenced, schemas.Conflict, "Another process took it over meanwhile. Nothing was changed: end it, then call again."},
	{store.ErrFull, schemas.Unavailable, "Free space on the disk of the database server. Nothing acknowledged was lost."},
	{
		store.ErrUnreachable, schemas.Unavailable,
		"Start the server, or correct the address in the connection string. Nothing acknowledged was lost.",
	},
}
