package cli

import (
	"path/filepath"
	"strings"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/tools"
)

// AgentsFiles are the files that may declare agents: the user's own, and that of the project, which comes last.
func (a *App) AgentsFiles() (files []agentsfile.File) {
	if config := a.configDir(); filepath.IsAbs(config) {
		path := filepath.Join(config, "agents.yaml")
		name := path
		if below, ok := strings.CutPrefix(path, a.home()+string(filepath.Separator)); ok {
			name = "~/" + filepath.ToSlash(below)
		}
		files = append(files, agentsfile.File{Path: path, Name: name})
	}
	if root, err := a.Location().Root(); err == nil {
		path := filepath.Join(root, ".handoff", "agents.yaml")
		files = append(files, agentsfile.File{Path: path, Name: filepath.Base(root) + "/.handoff/agents.yaml"})
	}
	return files
}

// Declaring puts what the files declare before an invoker.
func (a *App) Declaring(boxes tools.Invoker) *agentsfile.Declaring {
	return &agentsfile.Declaring{Invoker: boxes, Files: a.AgentsFiles}
}
