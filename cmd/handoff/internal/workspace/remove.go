package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/schemas"
)

// Remove deletes the files of a workspace and its directory, and returns the names of the files, in the order in which
// it deleted them. The caller has locked the workspace with [handoff/tools/relay.Lock]. Remove follows no link out of
// the directory. When there is a file in it that handoff did not make, Remove deletes nothing and returns
// [schemas.Conflict]. After another error it may have deleted a part, which names says.
func Remove(w Workspace) (names []string, err error) {
	defer func() {
		if _, coded := errors.AsType[*schemas.Error](err); err != nil && !coded {
			err = fmt.Errorf("remove workspace %s: %w", w.Name, err)
		}
	}()
	state, err := os.OpenRoot(filepath.Dir(w.Dir))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	if names, err = empty(state, w); err != nil {
		return names, err
	}
	return names, state.Remove(w.Name)
}

// empty deletes the files in the directory of a workspace.
func empty(state *os.Root, w Workspace) (deleted []string, err error) {
	if info, err := state.Lstat(w.Name); err != nil || !info.IsDir() {
		return nil, foreign(w, w.Dir+" is no directory")
	}
	dir, err := state.OpenRoot(w.Name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err := contents(dir, w)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if err := dir.Remove(name); err != nil {
			return names[:i], err
		}
	}
	return names, nil
}

// contents lists the files to delete, the lock last: as long as it is there no process begins anew in the directory.
func contents(dir *os.Root, w Workspace) ([]string, error) {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names, others []string
	for _, e := range entries {
		if e.IsDir() || !ours(e.Name()) {
			others = append(others, e.Name())
		}
		names = append(names, e.Name())
	}
	if len(others) > 0 {
		return nil, foreign(w, "handoff did not make "+strings.Join(others, ", ")+" in "+w.Dir)
	}
	if i := slices.Index(names, lockFile); i >= 0 {
		names = append(slices.Delete(names, i, i+1), lockFile)
	}
	return names, nil
}

func foreign(w Workspace, what string) error {
	return schemas.Errorf(schemas.Conflict, "workspace %s was not removed: %s", w.Name, what).
		WithHint("Nothing was deleted. Move it away, and call again.")
}

// Move makes the files of one workspace those of another, whose directory must not exist. The caller has locked the
// first one.
func Move(from, to Workspace) error {
	if err := os.Rename(from.Dir, to.Dir); err != nil {
		return fmt.Errorf("rename workspace %s: %w", from.Name, err)
	}
	return Remember(to)
}
