package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff/tools/relay"
)

// StoreFile is the name of the file with the handoffs, in the directory of a workspace.
const StoreFile = "handoff.db"

const (
	lockFile   = "handoff.lock"
	logFile    = "handoff.log"
	memoryFile = "project.json"
)

// ours tells what handoff writes into the directory of a workspace. Nothing else in there is ours to delete.
func ours(name string) bool {
	patterns := append(relay.Files(), StoreFile, logFile, logFile+".1", memoryFile, memoryFile+".*")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

// A File is one of the files of a workspace.
type File struct {
	Path  string    `json:"path"`
	Bytes int64     `json:"bytes"`
	Used  time.Time `json:"-"` // when it was last written
}

// Exists tells whether there is something in the place of the workspace's directory. It may hold no store.
func (w Workspace) Exists() bool {
	_, err := os.Lstat(w.Dir)
	return !errors.Is(err, fs.ErrNotExist)
}

// Store is the file with the handoffs.
func (w Workspace) Store() (File, bool) { return w.file(StoreFile) }

// Log is what its owners wrote of themselves.
func (w Workspace) Log() (File, bool) { return w.file(logFile) }

func (w Workspace) file(name string) (File, bool) {
	path := filepath.Join(w.Dir, name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return File{}, false
	}
	return File{path, info.Size(), info.ModTime()}, true
}

// Bytes is how much room all files of the workspace take.
func (w Workspace) Bytes() (sum int64) {
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	return sum
}

// All gives the workspaces on this machine that have a store, by name. They know their projects as far as they
// were told.
func All(getenv func(string) string) ([]Workspace, error) {
	state, err := stateDir(getenv)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Workspace
	for _, e := range entries {
		if !e.IsDir() || !nameForm.MatchString(e.Name()) {
			continue
		}
		w := Workspace{Name: e.Name(), Dir: filepath.Join(state, e.Name()), By: ByName}
		if _, ok := w.Store(); ok {
			w.Project = Remembered(w)
			all = append(all, w)
		}
	}
	return all, nil
}
