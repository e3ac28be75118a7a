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

// DefineAgentsFlag binds the flag that names a file to read in place of the project's file. The named file must exist.
func (a *App) DefineAgentsFlag(flags *pflag.FlagSet) {
	flags.Func("agents", "`file` that declares agents and rules, instead of .handoff/agents.yaml of the project", func(path string) error {
		a.agents = a.AbsolutePath(path)
		_, err := os.Stat(a.agents)
		return err
	})
}

// AgentsFiles returns the files that may declare agents: first the user's own file, then the project's file, or the
// file that the flag names instead.
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
	if root, err := a.Location().Root(); err == nil {
		path := filepath.Join(root, ".handoff", "agents.yaml")
		files = append(files, agentsfile.File{Path: path, Name: filepath.Base(root) + "/.handoff/agents.yaml", Project: root})
	}
	return files
}

// Declarer wraps an invoker so that it declares the agents of files.
func (a *App) Declarer(boxes tools.Invoker) *agentsfile.Declarer {
	return &agentsfile.Declarer{Invoker: boxes, Files: a.AgentsFiles, Permissions: a.Permissions, Version: a.Release.Version}
}

// RedeclareFiles removes the declarations of all files except the project's present file. These may be declarations of
// a file that a flag named, of a file at the project's former path, or earlier declarations of a file that is now
// broken. In a workspace that was never used, it writes nothing.
func (a *App) RedeclareFiles(ctx context.Context) error {
	place, err := workspace.Find(a.Location())
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
