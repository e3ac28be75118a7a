package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/travel"
	"handoff/tools/platform"
)

// A restore never destroys the replaced workspace. In files, the old store stays in the directory under another name.
// In a database, the old workspace gets a name with "~", which users cannot choose. The undo of a restore exchanges the
// old and the new workspace, so it loses no work either.

func keptStoreFile(dir string) string { return filepath.Join(dir, workspace.KeptFile) }

// KeptWorkspaceName returns the name of the replaced workspace in a database.
func KeptWorkspaceName(name string) string { return name + "~before" }

// IsKeptWorkspaceName reports whether a restore gave a workspace of a database this name. The workspace is then a
// replaced workspace, or an unfinished copy.
func IsKeptWorkspaceName(name string) bool { return strings.Contains(name, "~") }

func restoringFile(at string) string { return at + ".restoring" }

func stagedWorkspaceName(name string) string { return name + "~restoring" }

// Restore replaces a workspace by a verified backup. The workspace is in the database of node. If node is nil, it is in
// files. If the workspace has work and replace is false, the error is conflict. If it has work and replace is true,
// Restore keeps the old workspace and returns its path, or its name in the database. Only the last step changes the
// workspace, and that step is atomic. Errors are *[schemas.Error], or errors of the system.
//
// The caller must have locked the files with [relay.LockWorkspace], if there are files. A restore into a database marks
// the store in these files as moved, so that no process uses that store any more.
func Restore(
	ctx context.Context, w workspace.Workspace, node *cluster.Node, backup string, replace bool,
) (kept string, moved bool, err error) {
	if node != nil {
		return restoreDatabaseStore(ctx, w, node, backup, replace)
	}
	kept, err = restoreFileStore(ctx, w, backup, replace)
	return kept, false, err
}

func restoreFileStore(ctx context.Context, w workspace.Workspace, backup string, replace bool) (kept string, err error) {
	at, before := filepath.Join(w.Dir, workspace.StoreFile), keptStoreFile(w.Dir)
	used, err := fileStoreHasWork(ctx, w)
	if err != nil {
		return "", err
	}
	if used {
		if platform.IsSameFile(at, before) { // a restore was killed before it changed anything
			if err := os.Remove(before); err != nil {
				return "", err
			}
		}
		if err := checkMayReplace(w.Name, backup, replace, platform.Exists(before)); err != nil {
			return "", err
		}
		kept = before
	}
	next := restoringFile(at)
	_ = os.Remove(next)                    // of a killed restore
	defer func() { _ = os.Remove(next) }() // it exists only after an error
	err = ReadBackup(ctx, backup, func(rows store.Backend) error { return copyRows(ctx, travel.Copy{From: rows}, next) })
	if err != nil {
		return "", err
	}
	if used { // a link, so that the store is never missing: a process would make a new, empty one
		if err := os.Link(at, before); err != nil {
			return "", fmt.Errorf("keep the old workspace: %w", err)
		}
	}
	if err := os.Rename(next, at); err != nil {
		if used {
			err = errors.Join(err, os.Remove(before))
		}
		return "", err
	}
	return kept, platform.SyncDir(w.Dir)
}

// fileStoreHasWork reports whether a workspace in files has work that a restore would replace. An unreadable store
// counts as work.
func fileStoreHasWork(ctx context.Context, w workspace.Workspace) (used bool, err error) {
	if w.IsStoreMissing() {
		return false, nil
	}
	rows, err := openEngine(ctx, w.Dir, discardLog)
	switch {
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrForeign), errors.Is(err, store.ErrNewer):
		return true, nil
	case err != nil:
		return false, explainOpenError(Config{Name: w.Name, Dir: w.Dir}, err)
	}
	used, err = hasWork(ctx, rows)
	return used || errors.Is(err, store.ErrCorrupt), errors.Join(schemas.IgnoreError(store.ErrCorrupt, err), rows.Close())
}

// hasWork reports whether a store has work. It returns false for a store with an unfinished copy, because no call can
// use this store.
func hasWork(ctx context.Context, rows store.Backend) (bool, error) {
	if errors.Is(travel.CheckUsable(ctx, rows), travel.ErrUnfinished) {
		return false, nil
	}
	return travel.HasWork(ctx, rows)
}

// checkMayReplace refuses to replace a workspace with work in two cases: the caller did not set replace, or an earlier
// restore still keeps a replaced workspace. In the second case the kept workspace is the original, and another restore
// would overwrite it.
func checkMayReplace(name, backup string, replace, kept bool) error {
	switch {
	case !replace:
		return schemas.Errorf(schemas.Conflict, "there is something in workspace %s already", name).
			WithHint("Nothing was changed. handoff restore %s --replace puts the backup in its place and keeps a copy of the old workspace; "+
				"--workspace names another workspace.", shell.JoinWords([]string{backup}))
	case kept:
		return schemas.Errorf(schemas.Conflict, "handoff still keeps the content that workspace %s had before an earlier restore", name).
			WithHint("Nothing was changed. handoff restore --undo puts it back, handoff restore --accept deletes it.")
	}
	return nil
}

// UndoRestore exchanges a workspace with the workspace that the last restore replaced. The workspace is in the database
// of node. If node is nil, it is in files, which the caller must have locked.
func UndoRestore(ctx context.Context, w workspace.Workspace, node *cluster.Node) error {
	if node == nil {
		return undoFileRestore(ctx, w)
	}
	if err := checkKept(ctx, w, node); err != nil {
		return err
	}
	return withElection(ctx, w.Name, node, func(seat *cluster.Election, _ store.Backend) error {
		return seat.Replace(ctx, KeptWorkspaceName(w.Name), KeptWorkspaceName(w.Name))
	})
}

func undoFileRestore(ctx context.Context, w workspace.Workspace) error {
	at, before := filepath.Join(w.Dir, workspace.StoreFile), keptStoreFile(w.Dir)
	restored := at + ".restored"
	switch {
	case !platform.Exists(before) && platform.Exists(restored): // an undo was killed before its last step
		return errors.Join(os.Rename(restored, before), platform.SyncDir(w.Dir))
	case hasKeptStore(w) && w.IsStoreMissing():
		return errors.Join(os.Rename(before, at), platform.SyncDir(w.Dir))
	}
	if err := checkKept(ctx, w, nil); err != nil {
		return err
	}
	if err := schemas.IgnoreError(fs.ErrNotExist, os.Remove(restored)); err != nil {
		return err
	}
	for _, step := range []func() error{ // the store is never missing in between
		func() error { return os.Link(at, restored) },
		func() error { return os.Rename(before, at) },
		func() error { return os.Rename(restored, before) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return platform.SyncDir(w.Dir)
}

// AcceptRestore deletes the workspace that the last restore replaced, unless confirm returns an error. The workspace is
// where [UndoRestore] looks for it.
func AcceptRestore(ctx context.Context, w workspace.Workspace, node *cluster.Node, confirm func() error) error {
	if err := checkKept(ctx, w, node); err != nil {
		return err
	}
	if err := confirm(); err != nil {
		return err
	}
	if node != nil {
		return node.Remove(ctx, KeptWorkspaceName(w.Name))
	}
	return os.Remove(keptStoreFile(w.Dir))
}

// hasKeptStore reports whether a restore kept a replaced store. It returns false if the kept file is only a second link
// to the current store. Such a link remains if a restore was killed before its last step.
func hasKeptStore(w workspace.Workspace) bool {
	before := keptStoreFile(w.Dir)
	return platform.Exists(before) && !platform.IsSameFile(before, filepath.Join(w.Dir, workspace.StoreFile))
}

// checkKept returns an error unless a restore kept the replaced workspace.
func checkKept(ctx context.Context, w workspace.Workspace, node *cluster.Node) (err error) {
	has := hasKeptStore(w)
	if node != nil {
		has, err = node.HasWorkspace(ctx, KeptWorkspaceName(w.Name))
	}
	if err == nil && !has {
		err = schemas.Errorf(schemas.NotFound, "nothing is kept of workspace %s from before a restore", w.Name).
			WithHint("handoff where shows what is kept.")
	}
	return err
}

func restoreDatabaseStore(
	ctx context.Context, files workspace.Workspace, node *cluster.Node, backup string, replace bool,
) (kept string, moved bool, err error) {
	name := files.Name
	into := func(rows store.Backend) (err error) {
		moved, err = copyBackup(ctx, travel.Copy{To: rows, Place: node.String()}, backup, files)
		return err
	}
	err = withElection(ctx, name, node, func(seat *cluster.Election, rows store.Backend) error {
		used, err := hasWork(ctx, rows)
		if err != nil {
			return err
		}
		if !used {
			return into(rows)
		}
		had, err := node.HasWorkspace(ctx, KeptWorkspaceName(name))
		if err != nil {
			return err
		}
		if err := checkMayReplace(name, backup, replace, had); err != nil {
			return err
		}
		if err = WithStore(ctx, workspace.Workspace{Name: stagedWorkspaceName(name)}, node, into); err != nil {
			return errors.Join(err, node.Remove(context.WithoutCancel(ctx), stagedWorkspaceName(name)))
		}
		kept = KeptWorkspaceName(name)
		return seat.Replace(ctx, stagedWorkspaceName(name), kept)
	})
	if errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnreachable) {
		err = cluster.ExplainDatabaseError(name, err)
	}
	return kept, moved, err
}

// copyBackup copies a backup to the destination in c, and verifies that all rows arrived. It marks the store in files
// as moved. If the store in files cannot be read, copyBackup ignores the store, because no process can use it.
func copyBackup(ctx context.Context, c travel.Copy, backup string, files workspace.Workspace) (moved bool, err error) {
	if files.HasStore() {
		if source, unread := openEngine(ctx, files.Dir, discardLog); unread == nil {
			defer func() { err = errors.Join(err, source.Close()) }()
			c.Moves = source
		}
	}
	err = ReadBackup(ctx, backup, func(from store.Backend) error {
		c.From = from
		done, err := c.Run(ctx)
		moved = done.Moved
		return err
	})
	return moved, err
}
