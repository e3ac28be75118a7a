package audit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/tlog"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/store/ledger"
)

func exportCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "export --tiles DIR"}
	dir := cmd.Flags().String("tiles", "", "`directory` for the files")
	cobra.CheckErr(cmd.MarkFlagRequired("tiles"))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := makeEmptyDirectory(a.AbsolutePath(*dir)); err != nil {
			return err
		}
		h, err := currentHead(cmd.Context(), a)
		if err != nil {
			return err
		}
		x := tileExport{dir: a.AbsolutePath(*dir), head: h}
		busy := a.ShowProgress("writing the registry")
		err = forEachEvent(cmd, a, x.addEvents)
		busy()
		if err == nil {
			err = x.writeTree()
		}
		if err != nil {
			return err
		}
		said := map[string]any{"tiles": *dir, "size": h.Size, "root": h.root()}
		return a.PrintValue(said, func(p *cli.Page) { p.AddLine("wrote %s to %s", schemas.CountNoun(h.Size, "event"), p.Quote(*dir, 4)) })
	}
	return cmd
}

// makeEmptyDirectory makes a directory, or accepts an empty directory. It refuses a directory with files, because a
// published tree must never change.
func makeEmptyDirectory(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case len(entries) > 0:
		return schemas.Errorf(schemas.Conflict, "%s is not empty", dir).WithField("tiles").
			WithHint("Name a new directory. handoff audit verify --checkpoint %s holds the registry against an earlier export.", filepath.Join(dir, "checkpoint"))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return schemas.Invalidf("tiles", "%w", err).WithHint("Name a new directory.")
	}
	return nil
}

// tileHeight is the height of a tile in C2SP tlog-tiles. A tile has 2^8 = 256 hashes, and a bundle has the same number
// of events.
const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
)

// tileExport computes the hash tree from the events. It writes each bundle of events when it is full, and the tiles at
// the end.
type tileExport struct {
	dir    string
	head   head
	walk   ledger.TreeWalk
	rows   [][]byte // of the tree, one for each event so far
	bundle []byte   // events of the last bundle, which is not full
}

// addEvents adds the next events to the tree. It skips events that are newer than the head.
func (x *tileExport) addEvents(events [][]byte) error {
	for _, b := range events[:min(uint64(len(events)), x.head.Size-uint64(len(x.rows)))] {
		n := len(x.rows) + 1
		if len(b) > math.MaxUint16 {
			return schemas.Errorf(schemas.Limit, "event %d has %d bytes, and a bundle holds at most %d of one", n, len(b), math.MaxUint16)
		}
		x.bundle = append(binary.BigEndian.AppendUint16(x.bundle, uint16(len(b))), b...) //nolint:gosec // it was measured
		x.rows = append(x.rows, bytes.Clone(x.walk.Add(b)))
		if n%tileWidth == 0 || uint64(n) == x.head.Size {
			bundle := tlog.Tile{H: tileHeight, L: -1, N: int64(n-1) / tileWidth, W: (n-1)%tileWidth + 1}
			if err := x.writeTile(bundle, x.bundle); err != nil {
				return err
			}
			x.bundle = x.bundle[:0]
		}
	}
	return nil
}

// writeTile writes one tile. At level -1 it is a bundle of events.
func (x *tileExport) writeTile(t tlog.Tile, content []byte) error {
	path := strings.Replace(strings.TrimPrefix(t.Path(), "tile/8/"), "data/", "entries/", 1)
	return x.writeFile(filepath.Join("tile", filepath.FromSlash(path)), content)
}

// writeFile writes a file for publication.
func (x *tileExport) writeFile(name string, content []byte) error {
	path := filepath.Join(x.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // everybody may read it
	if err == nil {
		err = os.WriteFile(path, content, 0o644) //nolint:gosec // as above
	}
	if err != nil {
		return schemas.Errorf(schemas.Unavailable, "write the tiles: %w", err).WithHint("Remove %s, and call again.", x.dir)
	}
	return nil
}

// writeTree writes the tiles of the tree and the checkpoint. It fails if the root of the tree differs from the root of
// the head.
func (x *tileExport) writeTree() error {
	n := len(x.rows)
	if uint64(n) != x.head.Size || n > 0 && x.walk.Root() != x.head.root() {
		return errMismatch(verifyTells, "the registry, of %s, differs from its tree", schemas.CountNoun(n, "event"))
	}
	rows := ledger.TreeRows(func(n int64) ([]byte, error) { return x.rows[n], nil })
	for _, t := range tlog.NewTiles(tileHeight, 0, int64(n)) {
		hashes, _ := tlog.ReadTileData(t, rows) // no row is missing
		if err := x.writeTile(t, hashes); err != nil {
			return err
		}
	}
	return x.writeFile("checkpoint", []byte(x.head.signed))
}

// forEachEvent passes all events to fn in order. One call of fn gets the events of one call to the store.
func forEachEvent(cmd *cobra.Command, a *cli.App, fn func([][]byte) error) error {
	return a.ConnectAsCaller(cmd.Context(), "audit_events", func(conn *cli.Connection) error {
		for after := uint64(0); ; {
			var out schemas.EventsOut
			if _, err := conn.Call(cmd.Context(), "audit_events", schemas.EventsIn{After: after}, &out); err != nil || len(out.Events) == 0 {
				return err
			}
			if err := fn(out.Events); err != nil {
				return err
			}
			after += uint64(len(out.Events))
		}
	})
}
