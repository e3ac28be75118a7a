package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// memory is what a workspace knows of itself beyond its name, which holds only a hash of the project.
type memory struct {
	Project string `json:"project"`
}

// Remember writes down for which project a workspace is, so that people can tell workspaces apart and a project
// that moves can take its own along. It writes only what is not there yet, and nothing for a workspace that was
// named or that does not exist.
func Remember(w Workspace) error {
	if w.Project == "" || Remembered(w) == w.Project {
		return nil
	}
	content, err := json.Marshal(memory{w.Project})
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(w.Dir, memoryFile+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remember the project: %w", err)
	}
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), filepath.Join(w.Dir, memoryFile))
	}
	if err != nil {
		return fmt.Errorf("remember the project: %w", errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}

// Remembered gives the project that a workspace was last used for, or "" if it does not know.
func Remembered(w Workspace) string {
	content, err := os.ReadFile(filepath.Join(w.Dir, memoryFile))
	var m memory
	if err != nil || json.Unmarshal(content, &m) != nil || !filepath.IsAbs(m.Project) {
		return ""
	}
	return m.Project
}
