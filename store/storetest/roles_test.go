package storetest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

// openWithLeastPrivileges follows docs/postgres.md, and opens workspaces as the role with access to rows only.
func openWithLeastPrivileges(t testing.TB) func(t testing.TB, name string) store.Backend {
	t.Helper()
	address := postgrestest.StartServer(t)
	document, err := os.ReadFile("../../docs/postgres.md")
	require.NoError(t, err)
	blocks := strings.Split(string(document), "```sql\n")
	require.Len(t, blocks, 3)
	execute(t, address, blocks[1])
	owner := address + " dbname=handoff user=handoff_owner"
	require.NoError(t, postgres.Prepare(t.Context(), postgrestest.ConnectPool(t, owner)))
	execute(t, owner, blocks[2])
	rows := address + " dbname=handoff user=handoff_rows"
	_, err = postgrestest.ConnectPool(t, rows).Exec(t.Context(), `create table more (n int)`)
	require.ErrorContains(t, err, "permission denied")
	return postgrestest.WorkspaceOpener(t, rows, postgres.Config{})
}

// execute runs the statements up to the end of a block.
func execute(t testing.TB, address, block string) {
	t.Helper()
	block, _, _ = strings.Cut(block, "```")
	pool := postgrestest.ConnectPool(t, address)
	for line := range strings.Lines(block) {
		_, err := pool.Exec(t.Context(), line)
		require.NoError(t, err, line)
	}
}
