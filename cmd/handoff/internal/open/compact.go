package open

import (
	"context"
	"path/filepath"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/store"
	"handoff/store/bolt"
)

// Compact gives the space back that the file of a workspace no longer uses, and tells its size before and after. The
// caller has locked the workspace with [relay.Lock]. Errors are *[schemas.Error].
func Compact(ctx context.Context, w workspace.Workspace) (done bolt.Compacted, err error) {
	if err = errEmptied(w.Dir); err == nil {
		done, err = bolt.Compact(ctx, filepath.Join(w.Dir, workspace.StoreFile))
	}
	if err != nil {
		return done, explain(Config{Name: w.Name, Dir: w.Dir}, err)
	}
	return done, nil
}

// freeOf tells how many bytes of its file a store does not use; nil for one that cannot tell.
func freeOf(rows store.Backend) func() int64 {
	if file, ok := rows.(*bolt.Store); ok {
		return file.Free
	}
	return nil
}
