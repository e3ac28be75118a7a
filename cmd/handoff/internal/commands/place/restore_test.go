package place_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/store/postgres/postgrestest"
)

// The database blocks the process after some of the rows, and the process is killed. The backup has the content of the
// files.
func TestRestore_KilledIsRefusedUntilRepeated(t *testing.T) {
	t.Parallel()
	address := postgrestest.StartServer(t)
	p := commandtest.NewHome(t)
	for range 5 {
		p.Must("send", "qa", "Test it", "--agent", "dev")
	}
	p.Must("backup", "../w.backup")
	audit := p.Must("audit", "verify")
	db := postgrestest.ConnectPool(t, address)
	database := map[string]string{"HANDOFF_STORE": address}
	code, _, errs := p.RunWith(database, "claim", "--agent", "qa") // it makes the tables, and an unneeded workspace
	require.Equal(t, 6, code, errs)
	for _, statement := range []string{
		`create function slow() returns trigger language plpgsql as $$
			begin if new.number > 10 then perform pg_sleep(60); end if; return new; end $$`,
		`create trigger slow before insert on handoff_log for each row execute function slow()`,
	} {
		_, err := db.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	copies := exec.CommandContext(t.Context(), commandtest.Program, "restore", "../w.backup", "--workspace", "w")
	copies.Env, copies.Dir = append(p.Environ(), "HANDOFF_STORE="+address), p.State
	require.NoError(t, copies.Start())
	require.Eventually(t, func() bool {
		var sleeps int
		require.NoError(t, db.QueryRow(t.Context(), `select count(*) from pg_stat_activity where wait_event = 'PgSleep'`).Scan(&sleeps))
		return sleeps > 0
	}, commandtest.Patience, time.Millisecond)
	require.NoError(t, copies.Process.Kill())
	require.Error(t, copies.Wait())
	_, err := db.Exec(t.Context(), `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`)
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), `drop trigger slow on handoff_log`)
	require.NoError(t, err)

	for _, command := range [][]string{{"list"}, {"send", "qa", "Test it", "--agent", "dev"}, {"audit", "verify"}} {
		code, _, errs := p.RunWith(database, command...)
		require.Equal(t, 5, code, errs)
		require.Contains(t, errs, "workspace w is not whole: the copy into it was not finished\n")
		require.Contains(t, errs, "handoff restore --help")
	}
	require.Equal(t, audit, p.Must("audit", "verify"), "the files are used as before")
	code, _, errs = p.RunWith(database, "restore", "../w.backup")
	require.Zero(t, code, errs)
	code, out, errs := p.RunWith(database, "audit", "verify")
	require.Zero(t, code, errs)
	require.Equal(t, audit, out)
	requireRefused(p, "workspace w is not used any more: it was copied to database", "list")
}

func TestRestore_RefusesOpenWorkspace(t *testing.T) {
	t.Parallel()
	p, address := commandtest.NewHome(t), postgrestest.StartServer(t)
	look := `{"name": "list_handoffs", "arguments": {}}`
	database := map[string]string{"HANDOFF_STORE": address}
	s := p.StartServer("--agent", "reviewer")
	s.Request("tools/call", look)
	backup := filepath.Join(t.TempDir(), "w.backup")
	p.Must("backup", backup)
	for _, command := range [][]string{{"restore", backup, "--replace"}, {"restore", "--accept"}} {
		requireRefused(p, fmt.Sprintf("workspace w is open in another process: pid %d, handoff ", s.Cmd.Process.Pid), command...)
	}
	code, _, errs := p.RunWith(database, "restore", backup)
	require.Equal(t, 5, code)
	require.Contains(t, errs, "is open in another process", "the files would move")
	s.CloseInput()

	s = p.StartServerFor("codex-mcp-client", database, "--agent", "reviewer")
	s.Request("tools/call", look)
	code, _, errs = p.RunWith(database, "restore", backup)
	require.Equal(t, 5, code)
	require.Contains(t, errs, fmt.Sprintf("workspace w of the database is open in another process: pid %d, handoff ", s.Cmd.Process.Pid))
	require.Contains(t, errs, "End the servers and clients")
	s.Request("tools/call", look)
	s.CloseInput()
}
