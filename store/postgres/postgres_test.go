package postgres_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func newPool(t *testing.T) *pgxpool.Pool {
	pool := postgrestest.ConnectPool(t, postgrestest.StartServer(t))
	require.NoError(t, postgres.Prepare(t.Context(), pool))
	require.NoError(t, postgres.Prepare(t.Context(), pool), "what is there stays")
	return pool
}

func openShop(t *testing.T, pool *pgxpool.Pool) *postgres.Store {
	s, err := postgrestest.TakeOverAndOpen(t.Context(), pool, "shop", postgres.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func put(t *testing.T, s *postgres.Store, key, value string) error {
	return s.Update(t.Context(), func(w store.Writer) error { return w.Put(store.Records, []byte(key), []byte(value)) })
}

func readAllRows(t *testing.T, s *postgres.Store) (all []string) {
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		all = nil
		for row, err := range r.Scan(store.Range{Space: store.Records}) {
			require.NoError(t, err)
			all = append(all, string(row.Key)+"="+string(row.Value))
		}
		return nil
	}))
	return all
}

func TestPrepare_MakesTablesOnceForConcurrentCallers(t *testing.T) {
	address := postgrestest.StartServer(t)
	var pools []*pgxpool.Pool
	for range 6 {
		pools = append(pools, postgrestest.ConnectPool(t, address))
		require.NoError(t, pools[len(pools)-1].Ping(t.Context()), "each is connected before")
	}
	errs := make(chan error, len(pools))
	for _, pool := range pools {
		go func() { errs <- postgres.Prepare(t.Context(), pool) }()
	}
	for range pools {
		require.NoError(t, <-errs)
	}
}

// A process that opens a workspace is its owner from then on, even if the former owner goes on or the log was folded
// since.
func TestUpdate_ByFormerOwnerReturnsErrFenced(t *testing.T) {
	pool := newPool(t)
	first := openShop(t, pool)
	require.NoError(t, put(t, first, "a", "1"))
	second := openShop(t, pool)
	require.Equal(t, []string{"a=1"}, readAllRows(t, second), "what is only in the log is there")
	require.ErrorIs(t, put(t, first, "a", "2"), store.ErrFenced)
	require.ErrorIs(t, put(t, first, "b", "2"), store.ErrFenced)
	require.ErrorIs(t, first.View(t.Context(), func(store.Reader) error { return nil }), store.ErrFenced)

	require.NoError(t, put(t, second, "b", "3"))
	require.NoError(t, second.Close(), "which folds")
	third := openShop(t, pool)
	require.Equal(t, []string{"a=1", "b=3"}, readAllRows(t, third))
	require.ErrorIs(t, put(t, first, "c", "2"), store.ErrFenced)
	require.Equal(t, []string{"a=1", "b=3"}, readAllRows(t, third))
}

// A view goes on reading its commit while the log is folded, including rows that were never read before.
func TestView_ReadsSameCommitDuringFold(t *testing.T) {
	pool := newPool(t)
	earlier := openShop(t, pool)
	var want []string
	for i := range 600 {
		key := fmt.Sprintf("%03d", i)
		require.NoError(t, put(t, earlier, key, "old"))
		want = append(want, key+"=old")
	}
	require.NoError(t, earlier.Close())
	s := openShop(t, pool)
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			for i := range 600 {
				if err := w.Put(store.Records, fmt.Appendf(nil, "%03d", i), []byte("new")); err != nil {
					return err
				}
			}
			return w.Delete(store.Records, []byte("300"))
		}))
		for i := range 20 { // the writer begins to fold
			require.NoError(t, put(t, s, fmt.Sprintf("x%d", i), "new"))
		}
		var got []string
		for row, err := range r.Scan(store.Range{Space: store.Records, Reverse: true}) {
			require.NoError(t, err)
			got = append([]string{string(row.Key) + "=" + string(row.Value)}, got...)
		}
		require.Equal(t, want, got)
		return nil
	}))
	require.Len(t, readAllRows(t, s), 619)
}

// A database of a newer or an older program is not touched.
func TestPrepare_RefusesOtherLayouts(t *testing.T) {
	pool := newPool(t)
	_, err := pool.Exec(t.Context(), `update handoff_schema set version = version + 1`)
	require.NoError(t, err)
	require.ErrorIs(t, postgres.Prepare(t.Context(), pool), store.ErrNewer)
	_, err = pool.Exec(t.Context(), `update handoff_schema set version = 1`)
	require.NoError(t, err)
	require.ErrorContains(t, postgres.Prepare(t.Context(), pool), "restore the backup")
}

// A pooler reports that the server broke off a commit, but the server has kept it. The store finds this out before it
// writes anything else.
func TestUpdate_CommitsOnceIfPoolerReportsBrokenConnection(t *testing.T) {
	address := postgrestest.StartServer(t)
	pool := postgrestest.ConnectPool(t, address)
	require.NoError(t, postgres.Prepare(t.Context(), pool))
	s := openShop(t, postgrestest.ConnectPool(t, postgrestest.StartPooler(t, address)))
	set := func(to string) {
		_, err := pool.Exec(t.Context(), `alter system set synchronous_standby_names = '`+to+`'`)
		require.NoError(t, err)
		_, err = pool.Exec(t.Context(), `select pg_reload_conf()`)
		require.NoError(t, err)
	}
	set("nobody") // so each commit is kept, and waits
	kept := make(chan error, 1)
	go func() { kept <- put(t, s, "a", "1") }()
	require.Eventually(t, func() bool {
		ended := 0
		const end = `select count(pg_terminate_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'`
		require.NoError(t, pool.QueryRow(t.Context(), end).Scan(&ended))
		return ended > 0
	}, time.Minute, 10*time.Millisecond)
	set("")
	require.NoError(t, <-kept)
	require.NoError(t, put(t, s, "b", "2"))
	require.Equal(t, []string{"a=1", "b=2"}, readAllRows(t, s))
	require.Equal(t, []string{"a=1", "b=2"}, readAllRows(t, openShop(t, pool)))
}

// The statement of the documentation makes room for a workspace of the same name.
func TestWorkspace_IsRemovedByDocumentedStatement(t *testing.T) {
	text, err := os.ReadFile("../../docs/postgres.md")
	require.NoError(t, err)
	statement := regexp.MustCompile(`delete from \w+ where name = 'NAME'`).FindString(string(text))
	require.NotEmpty(t, statement)
	pool := newPool(t)
	s := openShop(t, pool)
	require.NoError(t, put(t, s, "a", "1"))
	require.NoError(t, s.Close())
	_, err = pool.Exec(t.Context(), strings.Replace(statement, "NAME", "shop", 1))
	require.NoError(t, err)
	require.Empty(t, readAllRows(t, openShop(t, pool)))
}

// Several processes that meet an empty database at once make its tables once.
func TestPrepare_IsIdempotent(t *testing.T) {
	address := postgrestest.StartServer(t)
	pools := make([]*pgxpool.Pool, 8)
	for i := range pools {
		pools[i] = postgrestest.ConnectPool(t, address)
	}
	for range 10 {
		_, err := pools[0].Exec(t.Context(), `drop table if exists handoff_row, handoff_log, handoff_workspace, handoff_node, handoff_schema`)
		require.NoError(t, err)
		failed := make(chan error)
		for _, pool := range pools {
			go func() { failed <- postgres.Prepare(t.Context(), pool) }()
		}
		for range pools {
			require.NoError(t, <-failed)
		}
	}
}
