package place_test

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/bolt"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

// damageRows removes rows that the command check can mend, and changes a record that it cannot mend.
func damageRows(t *testing.T, rows store.Backend) {
	t.Helper()
	first := binary.BigEndian.AppendUint64(nil, 1)
	require.NoError(t, rows.Update(t.Context(), func(w store.Writer) error {
		return errors.Join(
			w.Delete(store.BySender, append([]byte("dev\x00"), first...)), w.Delete(store.Words, first),
			w.Put(store.Mailboxes, []byte("qa"), make([]byte, 16)), w.Put(store.Records, binary.BigEndian.AppendUint64(nil, 2), []byte("{")),
		)
	}))
	require.NoError(t, rows.Close())
}

func TestCheck_NamesAndMendsFaults(t *testing.T) {
	t.Parallel()
	address := postgrestest.StartServer(t)
	for name, home := range map[string]struct {
		env  map[string]string
		open func(p commandtest.Home) (store.Backend, error)
	}{
		"files": {nil, func(p commandtest.Home) (store.Backend, error) {
			return bolt.Open(t.Context(), bolt.Config{Path: filepath.Join(workspaceDir(p, "w"), "handoff.db")})
		}},
		"database": {map[string]string{"HANDOFF_STORE": address}, func(commandtest.Home) (store.Backend, error) {
			return postgrestest.TakeOverAndOpen(context.Background(), postgrestest.ConnectPool(t, address), "w", postgres.Config{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := commandtest.NewHome(t)
			run := func(want int, command ...string) string {
				t.Helper()
				code, out, errs := p.RunWith(home.env, command...)
				require.Equal(t, want, code, "%s%s", out, errs)
				return out
			}
			run(0, "send", "qa", "Find the needle", "--agent", "dev")
			run(0, "send", "qa", "Test it", "--agent", "dev")
			require.Contains(t, run(0, "check"), "\nOK\n")
			require.Contains(t, run(0, "check", "--mend"), "nothing was changed")
			rows, err := home.open(p)
			require.NoError(t, err)
			damageRows(t, rows)

			found := run(1, "check")
			for _, fault := range []string{
				"the record of ho_2 cannot be read: unexpected end of JSON input (cannot be mended)", "ho_1 lacks its row in by_sender (can be mended)",
				"ho_1 has no words by which it is found (can be mended)", "mailbox qa is counted as", "puts a backup in its place",
			} {
				require.Contains(t, found, fault)
			}
			mended := run(1, "check", "--mend")
			require.Contains(t, mended, "mended 3 faults, in 3 rows")
			_, backup, is := strings.Cut(mended, "as it was before")
			require.True(t, is, mended)
			backup, _, _ = strings.Cut(strings.TrimSpace(strings.Trim(backup, " :")), "\n")
			require.Equal(t, 1, strings.Count(run(1, "check"), "fault: "))
			require.Contains(t, run(0, "search", "needle"), "ho_1")

			before, err := bolt.Open(t.Context(), bolt.Config{Path: backup})
			require.NoError(t, err)
			out, err := audit.ExamineStore(t.Context(), store.New(before), nil)
			require.NoError(t, err)
			require.Equal(t, 4, out.Found, "it is as it was: %v", out.Faults)
			require.NoError(t, before.Close())
		})
	}
}

func TestCheck_OfOpenWorkspaceMendsNothing(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	s := p.StartServer("--agent", "reviewer")
	s.Request("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	require.Contains(t, p.Must("check"), "OK")
	requireRefused(p, "is open in another process", "check", "--mend")
	s.CloseInput()
	require.Contains(t, p.Must("check", "--mend", "--json"), `"ok":true`)
}
