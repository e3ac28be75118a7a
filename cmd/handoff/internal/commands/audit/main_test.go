package audit_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/ledger"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// auditDesk is a workspace, and a directory in which its commands run.
type auditDesk struct {
	commandtest.Desk
	dir string
}

func newAuditDesk(t *testing.T) auditDesk {
	s := auditDesk{commandtest.NewDesk(t), t.TempDir()}
	for _, task := range []string{"Test the login", "Test the logout", "Test the rest"} {
		s.Must("dev", "send", "qa", task)
	}
	s.Must("qa", "claim")
	return s
}

func (s auditDesk) audit(args ...string) string {
	s.Helper()
	return s.Must("", append([]string{"audit", "--dir", s.dir}, args...)...)
}

// mustRefuse runs a command that must end with the given status, and returns its output.
func (s auditDesk) mustRefuse(status int, args ...string) string {
	s.Helper()
	code, out, errs := s.Run("", append([]string{"audit", "--dir", s.dir}, args...)...)
	require.Equal(s, status, code, "%s%s", out, errs)
	return out + errs
}

// saveOutput writes the output of a command into a file of the directory.
func (s auditDesk) saveOutput(name string, args ...string) string {
	s.Helper()
	path := filepath.Join(s.dir, name)
	require.NoError(s, os.WriteFile(path, []byte(s.audit(args...)), 0o600))
	return path
}

// forgeEvents changes the events and recomputes the tree over them, as an attacker with the file can.
func (s auditDesk) forgeEvents(change func(events [][]byte) [][]byte) {
	s.Helper()
	rows, err := bolt.Open(s.Context(), bolt.Config{Path: s.File()})
	require.NoError(s, err)
	defer func() { require.NoError(s, rows.Close()) }()
	require.NoError(s, rows.Update(s.Context(), func(w store.Writer) error { return rewriteEvents(w, change) }))
}

func rewriteEvents(w store.Writer, change func([][]byte) [][]byte) error {
	var keys, events [][]byte
	for row, err := range w.Scan(store.Range{Space: store.Events}) {
		if err != nil {
			return err
		}
		keys, events = append(keys, append([]byte{}, row.Key...)), append(events, append([]byte{}, row.Value...))
	}
	for _, key := range keys {
		if err := w.Delete(store.Events, key); err != nil {
			return err
		}
		if err := w.Delete(store.Tree, key); err != nil {
			return err
		}
	}
	var walk ledger.TreeWalk
	for i, event := range change(events) {
		if err := w.Put(store.Events, keys[i], event); err != nil {
			return err
		}
		if err := w.Put(store.Tree, keys[i], walk.Add(event)); err != nil {
			return err
		}
		if err := w.Put(store.Sys, []byte("events"), keys[i]); err != nil {
			return err
		}
	}
	return nil
}

// newMessageEvent returns an event without a handoff.
func newMessageEvent(s auditDesk) schemas.Event {
	return schemas.Event{Agent: "dev", At: s.Now, Action: "message"}
}

// addEvents adds the event n times. This is faster than n commands.
func (s auditDesk) addEvents(n int, e schemas.Event) {
	s.Helper()
	rows, err := bolt.Open(s.Context(), bolt.Config{Path: s.File()})
	require.NoError(s, err)
	defer func() { require.NoError(s, rows.Close()) }()
	require.NoError(s, store.New(rows).Update(context.Background(), func(tx *store.Tx) error {
		for range n {
			if _, err := tx.WriteChange(nil, nil, e, store.Content{}); err != nil {
				return err
			}
		}
		return nil
	}))
}
