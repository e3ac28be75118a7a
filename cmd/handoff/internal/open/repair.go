package open

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/mailbox/keeping"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/bolt"
	"handoff/store/memory"
	"handoff/store/travel"
)

// Salvage writes everything that can be read of a damaged store in a file as an exported workspace, and only reads the
// store. The caller must have locked the workspace. Salvage needs some times the size of the store in memory. The error
// is [schemas.Internal] if no handoff can be read.
func Salvage(ctx context.Context, w workspace.Workspace, by schemas.Event, out io.Writer) (head schemas.ExportHeading, err error) {
	read, err := bolt.Salvage(filepath.Join(w.Dir, workspace.StoreFile))
	if err != nil {
		return head, err
	}
	s, rows := keeping.Salvage{Tree: read.Tree, Loose: read.Loose, Sure: read.Sure, By: by}, memory.New()
	if err := s.Write(ctx, rows); err != nil {
		return head, err
	}
	s.Lost["page of the file"] = len(read.Damaged)
	maps.DeleteFunc(s.Lost, func(_ string, n int) bool { return n == 0 })
	head, err = travel.Export(ctx, store.New(rows), schemas.ExportHeading{Workspace: w.Name, At: by.At, Lost: s.Lost}, out)
	if err == nil && head.Lines["handoff"] == 0 {
		err = schemas.Errorf(schemas.Internal, "nothing of workspace %s can be read", w.Name).
			WithHint("No file was written, and the store was not changed. handoff restore FILE --replace puts a backup in its place.")
	}
	return head, err
}

// Mend copies a store to the new file copyTo, and then mends the store. If the store has no mendable faults, Mend makes
// no copy. No other process may have the store open.
func Mend(ctx context.Context, rows store.Backend, copyTo string) (done audit.MendResult, err error) {
	s := store.New(rows)
	found, err := audit.ExamineStore(ctx, s, reading.SearchWords)
	if err != nil || found.Mendable == 0 {
		return audit.MendResult{Before: found, After: found}, err
	}
	if err := copyRows(ctx, travel.Copy{From: rows}, copyTo); err != nil {
		return done, schemas.Errorf(schemas.Unavailable, "copy the store to %s: %w", copyTo, err).WithHint("Nothing was changed.")
	}
	done, err = audit.MendRows(ctx, rows, reading.SearchWords)
	done.Backup = copyTo
	if errors.Is(err, store.ErrCorrupt) { // rows are not written to damaged pages
		err = store.DamagedError(fmt.Errorf("nothing was mended: %w", err))
	}
	return done, err
}
