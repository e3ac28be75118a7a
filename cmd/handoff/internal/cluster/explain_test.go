package cluster_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// password is in every connection string and must be in no message.
const password = "Zx-0815"

// writeLargeValue writes a large value into a database, as opening a workspace does.
func writeLargeValue(ctx context.Context, address string) error {
	pool, err := postgres.Connect(ctx, address, func(*pgxpool.Config) {})
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := postgres.Prepare(ctx, pool); err != nil {
		return err
	}
	b, err := postgrestest.TakeOverAndOpen(ctx, pool, "shop", postgres.Config{})
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Update(ctx, func(w store.Writer) error { return w.Put(store.Bodies, []byte("a"), make([]byte, 16<<20)) })
}

func execSQL(t *testing.T, address string, statements ...string) {
	t.Helper()
	pool := postgrestest.ConnectPool(t, address)
	for _, s := range statements {
		_, err := pool.Exec(t.Context(), s)
		require.NoError(t, err, s)
	}
}

func checkExplanation(t *testing.T, address string, code schemas.Code, message, hint string) {
	t.Helper()
	err := writeLargeValue(t.Context(), address)
	require.Error(t, err)
	e := cluster.ExplainDatabaseError("shop", err)
	require.Equal(t, code, e.Code, "%v", e)
	require.Contains(t, e.Message, message)
	require.NotContains(t, e.Message, "\n")
	require.Contains(t, e.Hint, hint)
	require.NotContains(t, e.Message+e.Hint, password)
	t.Log(e.Message + " | " + e.Hint)
}

// Each error from opening a workspace in a database has a remedy.
func TestExplainDatabaseError_GivesRemedies(t *testing.T) {
	address := postgrestest.StartServer(t)
	with := address + " password=" + password
	execSQL(t, address, `create user visitor password 'other'`, `create database prepared`)
	require.NoError(t, writeLargeValue(t.Context(), address+" dbname=prepared"))
	standby := postgrestest.StartStandby(t, address)
	for _, c := range []struct {
		name, address string
		code          schemas.Code
		message, hint string
	}{
		{"no connection string", "postgres://handoff:" + password + " %zz@here/db", schemas.Invalid, "cannot be read", "sslmode"},
		{"no such database", with + " dbname=nowhere", schemas.Invalid, `"nowhere" does not exist`, "createdb"},
		{"no such user", with + " user=nobody", schemas.Denied, `"nobody" does not exist`, "PGPASSWORD"},
		{"no server", "host=/nowhere user=handoff dbname=postgres password=" + password, schemas.Unavailable, "cannot be reached", "Start the server"},
		{"no right to make tables", with + " user=visitor", schemas.Denied, "permission denied for schema", "docs/postgres.md"},
		{"no right to rows", with + " user=visitor dbname=prepared", schemas.Denied, "permission denied for table", "docs/postgres.md"},
		{"standby", standby + " dbname=prepared password=" + password, schemas.Unavailable, "read-only transaction", "primary"},
		{"standby without tables", standby + " password=" + password, schemas.Unavailable, "read-only transaction", "primary"},
	} {
		t.Run(c.name, func(t *testing.T) { checkExplanation(t, c.address, c.code, c.message, c.hint) })
	}
	t.Run("a newer layout", func(t *testing.T) {
		execSQL(t, address+" dbname=prepared", `update handoff_schema set version = 99`)
		checkExplanation(t, with+" dbname=prepared", schemas.Unavailable, "version 99", "newest")
	})
	t.Run("wrong password", func(t *testing.T) {
		execSQL(t, address, `copy (select 'local all all scram-sha-256') to program 'cat >pg_hba.conf'`, `select pg_reload_conf()`)
		require.Eventually(t, func() bool { return writeLargeValue(t.Context(), with) != nil }, time.Minute, 10*time.Millisecond)
		checkExplanation(t, with+" user=visitor", schemas.Denied, `password authentication failed for user "visitor"`, "~/.pgpass")
	})
}

// The tables are on a small file system of their own; the server's other files are elsewhere. The program reads its
// input first: otherwise the server fails with a broken pipe.
func TestExplainDatabaseError_FullDisk(t *testing.T) {
	dir, err := os.MkdirTemp("", "small") //nolint:usetesting // one that the server's user reaches
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	if err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=8m,mode=777", "tmpfs", dir).Run(); err != nil {
		t.Skip("no file system of our own without the right to mount one: ", err)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", dir).Run()) })
	address, tables := postgrestest.StartServer(t), filepath.Join(dir, "tables")
	execSQL(t, address, `copy (select) to program 'cat && mkdir -m 700 `+tables+`'`, `create tablespace small location '`+tables+`'`)
	checkExplanation(t, address+" password="+password+" default_tablespace=small", schemas.Unavailable, "No space left on device", "Free space")
}
