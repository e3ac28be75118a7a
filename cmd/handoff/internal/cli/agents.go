package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

// DefineAgentsFlag adds the flag that names a file of agents to read instead of the project's file. A named file must
// exist.
func (a *App) DefineAgentsFlag(flags *pflag.FlagSet) {
	flags.Func("agents", "`file` that declares agents and rules, instead of .handoff/agents.yaml of the project", func(path string) error {
		a.agents = a.AbsolutePath(path)
		_, err := os.Stat(a.agents)
		return err
	})
}

// AgentsFiles returns the files that may declare agents. The user's own file comes first. The second file is the
// project's file, or the file that the flag names.
func (a *App) AgentsFiles() (files []agentsfile.File) {
	if config := a.configDir(); filepath.IsAbs(config) {
		path := filepath.Join(config, "agents.yaml")
		name := path
		if below, ok := strings.CutPrefix(path, a.home()+string(filepath.Separator)); ok {
			name = "~/" + filepath.ToSlash(below)
		}
		files = append(files, agentsfile.File{Path: path, Name: name, Own: true})
	}
	if a.agents != "" {
		return append(files, agentsfile.File{Path: a.agents, Name: a.agents})
	}
	if root, err := a.WorkspaceConfig().Root(); err == nil {
		path := filepath.Join(root, ".handoff", "agents.yaml")
		files = append(files, agentsfile.File{Path: path, Name: filepath.Base(root) + "/.handoff/agents.yaml", Project: root})
	}
	return files
}

// Declarer returns an invoker that declares the agents of files before it passes a call to boxes.
func (a *App) Declarer(boxes tools.Invoker) *agentsfile.Declarer {
	return &agentsfile.Declarer{Invoker: boxes, Files: a.AgentsFiles, Permissions: a.Permissions, Version: a.Release.Version}
}

// RedeclareAgentsFiles declares the agents of [App.AgentsFiles] anew, and removes all other declarations. A removed
// declaration may come from a file that a flag named earlier, from a former path of the project's file, or from a file
// that is now broken. In an unused workspace it writes nothing.
func (a *App) RedeclareAgentsFiles(ctx context.Context) error {
	place, err := workspace.Find(a.WorkspaceConfig())
	if err != nil || place.IsStoreMissing() && !a.UsesDatabase() {
		return err
	}
	in := schemas.DeclareIn{Leave: true, Whole: true}
	for _, f := range a.AgentsFiles() {
		said, wrong := f.Read()
		if len(wrong) > 0 {
			said = schemas.DeclaringFile{Name: f.Name}
		}
		_, said.Unallowed = f.LacksPermission(said, a.Permissions())
		in.Files = append(in.Files, said)
	}
	return a.Connect(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *Connection) error {
		_, err := conn.Call(ctx, "agents_declare", in, nil)
		return err
	})
}
