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

// Remove deletes the files of a workspace and its directory, and gives the names of the files. It is called with
// the workspace locked. It follows no link out of the directory, and deletes nothing at all if there is something
// in it that handoff did not put there.
func Remove(w Workspace) (names []string, err error) {
	state, err := os.OpenRoot(filepath.Dir(w.Dir))
	if err != nil {
		return nil, fmt.Errorf("remove workspace %s: %w", w.Name, err)
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	if names, err = empty(state, w); err != nil {
		return names, err
	}
	if err := state.Remove(w.Name); err != nil {
		return names, fmt.Errorf("remove workspace %s: %w", w.Name, err)
	}
	return names, nil
}

// empty deletes what is in the directory of a workspace.
func empty(state *os.Root, w Workspace) (deleted []string, err error) {
	if info, err := state.Lstat(w.Name); err != nil || !info.IsDir() {
		return nil, foreign(w, w.Dir+" is no directory")
	}
	dir, err := state.OpenRoot(w.Name)
	if err != nil {
		return nil, fmt.Errorf("remove workspace %s: %w", w.Name, err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err := contents(dir, w)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := dir.Remove(name); err != nil {
			return deleted, fmt.Errorf("remove workspace %s: %w", w.Name, err)
		}
		deleted = append(deleted, name)
	}
	return deleted, nil
}

// contents lists what is to be deleted, the lock last: until then nobody else begins anew in there.
func contents(dir *os.Root, w Workspace) ([]string, error) {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("remove workspace %s: %w", w.Name, err)
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
	slices.SortStableFunc(names, func(a, b string) int {
		switch lockFile {
		case a:
			return 1
		case b:
			return -1
		}
		return 0
	})
	return names, nil
}

func foreign(w Workspace, what string) error {
	return schemas.Errorf(schemas.Conflict, "workspace %s was not removed: %s", w.Name, what).
		WithHint("Nothing was deleted. Move it away, and call again.")
}

// Move gives the files of one workspace to another, which has none. It is called with the first one locked.
func Move(from, to Workspace) error {
	if err := os.Rename(from.Dir, to.Dir); err != nil {
		return fmt.Errorf("rename workspace %s: %w", from.Name, err)
	}
	return Remember(to)
}
