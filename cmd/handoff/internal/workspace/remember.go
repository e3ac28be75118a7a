package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/tools/relay/platform"
)

// memory is the content of project.json. The name of a workspace has only a hash of its project.
type memory struct {
	Project string `json:"project"`
}

// Remember writes the project of a workspace into its directory, so that people can tell workspaces apart and a project
// that moves can take its workspace along. It writes nothing when the same project is there already, when the workspace
// was named and so has no project, and when it has no directory.
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

// Remembered returns the project that Remember wrote last, "" when there is none that can be read.
func Remembered(w Workspace) string {
	content, err := platform.ReadRegular(filepath.Join(w.Dir, memoryFile), 64<<10)
	var m memory
	if err != nil || json.Unmarshal(content, &m) != nil || !filepath.IsAbs(m.Project) {
		return ""
	}
	return m.Project
}
