package bolt

import (
	"cmp"
	"encoding/binary"
	"os"

	"handoff/store"
)

// One damaged page hides all pages below it from bbolt. Salvage also reads the pages that the tree does not lead to: a
// page names its own number, so its rows are found without the branch above it. bbolt never writes over a page that is
// in use, so many of these pages are older states. They have texts that were redacted since, and nothing in a page
// tells its age. Therefore:
//
//   - Rows of the tree are of the last commit. Only rows below whole pages count as rows of the tree, and only if both
//     meta pages are whole: else the tree could be that of the commit before the last one.
//   - All other rows are loose. Their reader has to prove that they are no older state.

// Salvaged is what [Salvage] read of a file.
type Salvaged struct {
	Tree    []store.IndexRow // rows of the last commit
	Loose   []store.IndexRow // rows of other pages, of an unknown age, with the space [store.Spaces]
	Damaged []uint64         // pages that the tree leads to and that are not whole; 0 means the first two pages

	// Sure reports that the last event is in a row, if it is not in the tree. Each change writes the number of its event
	// into pages of several spaces. So a single damaged page cannot hide it, except the root of a store that is so small
	// that the root has the rows of these spaces. Older roots prove nothing for such a store.
	Sure bool
}

// Salvage reads all rows that can be read in a damaged file, and changes nothing. It needs as much memory as the rows.
func Salvage(path string) (found Salvaged, err error) {
	file, err := os.Open(path)
	if err != nil {
		return found, toStoreError(err)
	}
	defer func() { _ = file.Close() }() // only for reading
	info, err := file.Stat()
	if err != nil {
		return found, err
	}
	w := pageWalk{file: file, end: uint64(info.Size() / pageSize), seen: map[uint64]bool{}} //nolint:gosec // a size
	w.keep = func(row store.IndexRow) { found.Tree = append(found.Tree, row) }
	m, _, whole := readMetas(file)
	if whole < 2 {
		m = metaPage{}
	}
	w.walk(m.root, store.Spaces)
	if found.Damaged = w.damaged; len(w.damaged) > 0 {
		found.Loose, found.Sure = w.readLooseRows(m.pages)
	}
	return found, nil
}

// readLooseRows reads the pages that the walk did not reach. Pages behind the last page that can be read are not in use,
// if no meta page tells which are.
func (w *pageWalk) readLooseRows(used uint64) (rows []store.IndexRow, sure bool) {
	var inRoots []store.IndexRow
	w.loose, w.keep = true, func(row store.IndexRow) {
		into := &rows
		if row.Space != store.Spaces {
			into = &inRoots
		}
		*into = append(*into, store.IndexRow{Space: store.Spaces, Key: row.Key, Value: row.Value})
	}
	sure = used <= w.end
	read, run, gaps := uint64(0), 0, 0 // page behind those that were read; pages before it that cannot be read
	for id := uint64(2); id < cmp.Or(used, w.end); id++ {
		p := w.page(id)
		all, whole := elementsOf(p)
		if !w.seen[id] {
			w.follow(all, store.Spaces)
		}
		if whole || len(p) > 0 && binary.NativeEndian.Uint16(p[8:]) == freelistPage {
			read = max(read, id+uint64(len(p)/pageSize))
		}
		if run++; w.seen[id] || id < read {
			gaps, sure, run = gaps+run-1, sure && run <= 2, 0
		}
	}
	if used == 0 && gaps == 0 {
		rows = append(rows, inRoots...)
	}
	return rows, sure && (used == 0 || run < 2)
}
