//go:build unix

package bolt_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/bolt"
)

// writeUntilKilled has eight writers add rows, each time the next number as a
// row and as a counter, and prints every row once it was acknowledged.
func writeUntilKilled(path string) int {
	s, err := bolt.Open(background(), bolt.Config{Path: path})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	failed := make(chan error)
	for i := range 8 {
		go func() {
			for {
				row, err := writeOne(s, fmt.Sprint(i))
				if err != nil {
					failed <- err
					return
				}
				fmt.Println(row)
			}
		}()
	}
	fmt.Fprintln(os.Stderr, <-failed)
	return 1
}

// writeOne adds the next row of a writer.
func writeOne(s *bolt.Store, writer string) (row string, err error) {
	err = s.Update(background(), func(w store.Writer) error {
		v, err := w.Get(store.Mailboxes, []byte(writer))
		if err != nil {
			return err
		}
		n := binary.BigEndian.AppendUint64(nil, decodeNumber(v)+1)
		row = fmt.Sprintf("%s/%06d", writer, decodeNumber(n))
		return errors.Join(
			w.Put(store.Mailboxes, []byte(writer), n),
			w.Put(store.Records, []byte(row), make([]byte, 500)))
	})
	return row, err
}

func decodeNumber(v []byte) uint64 {
	if v == nil {
		return 0
	}
	return binary.BigEndian.Uint64(v)
}

func TestUpdate_SurvivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "handoff.db")
	acknowledged := map[string]bool{}
	for round := range 5 {
		cmd, lines := start(t, "write", path)
		for i := 0; lines.Scan(); i++ {
			acknowledged[lines.Text()] = true
			if i == 300+100*round {
				require.NoError(t, cmd.Process.Kill())
			}
		}
		require.Error(t, cmd.Wait(), "it was killed")
		requireRows(t, path, acknowledged)
	}
}

// requireRows checks that every acknowledged row is there and that no update
// took effect in part: each writer has as many rows as its counter says.
func requireRows(t *testing.T, path string, acknowledged map[string]bool) {
	t.Helper()
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()

	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		found, perWriter := map[string]bool{}, map[string]uint64{}
		for row, err := range r.Scan(store.Range{Space: store.Records}) {
			require.NoError(t, err)
			found[string(row.Key)] = true
			perWriter[string(row.Key[:1])]++
		}
		for row := range acknowledged {
			require.True(t, found[row], "row %s was acknowledged and is gone", row)
		}
		for row, err := range r.Scan(store.Range{Space: store.Mailboxes}) {
			require.NoError(t, err)
			require.Equal(t, decodeNumber(row.Value), perWriter[string(row.Key)])
		}
		return nil
	}))
}
