package open

import (
	"context"
	"path/filepath"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/store/bolt"
)

// Compact gives the space back that the file of a workspace no longer uses, and tells its size before and after in bytes.
// The caller has locked the workspace with [relay.Lock]. Errors are *[schemas.Error].
func Compact(ctx context.Context, w workspace.Workspace) (before, after int64, err error) {
	done, err := bolt.Compact(ctx, filepath.Join(w.Dir, workspace.StoreFile))
	if err != nil {
		return 0, 0, explain(Config{Name: w.Name, Dir: w.Dir}, err)
	}
	return done.Before, done.After, nil
}
