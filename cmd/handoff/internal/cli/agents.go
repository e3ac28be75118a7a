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

// BindAgents binds the flag that names another file than that of the project. The file has to be there.
func (a *App) BindAgents(flags *pflag.FlagSet) {
	flags.Func("agents", "`file` that declares agents and rules, instead of .handoff/agents.yaml of the project", func(path string) error {
		a.agents = a.Path(path)
		_, err := os.Stat(a.agents)
		return err
	})
}

// AgentsFiles are the files that may declare agents: the user's own, and that of the project or of a flag, which comes
// last.
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

// Declaring puts what the files declare before an invoker.
func (a *App) Declaring(boxes tools.Invoker) *agentsfile.Declarer {
	return &agentsfile.Declarer{Invoker: boxes, Files: a.AgentsFiles, Permissions: a.Leave, Version: a.Release.Version}
}

// DeclareAnew takes away what other files declared than those of the project, as a file that a flag named or one in the
// place where the project was, and what a file declared before it was broken. It writes nothing where nobody sent
// anything yet.
func (a *App) DeclareAnew(ctx context.Context) error {
	place, err := workspace.Find(a.Location())
	if err != nil || place.Untouched() && !a.InDatabase() {
		return err
	}
	in := schemas.DeclareIn{Leave: true, Whole: true}
	for _, f := range a.AgentsFiles() {
		said, wrong := f.Read()
		if len(wrong) > 0 {
			said = schemas.DeclaringFile{Name: f.Name}
		}
		_, said.Unallowed = f.LacksPermission(said, a.Leave())
		in.Files = append(in.Files, said)
	}
	return a.Connect(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *Connection) error {
		_, err := conn.Call(ctx, "agents_declare", in, nil)
		return err
	})
}
