package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func (a *app) whereCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "where",
		Short: "Show which workspace this is, its files, who has it open and who was seen",
		Example: `  handoff where
  handoff where --dir ../shop
  handoff where --json | jq -r .directory`,
		Long: `Agents that do not meet are in different workspaces: compare what this prints where each of them runs. It
makes nothing: a workspace that was never used is only named.

With --json found_by is flag, environment, git_common_directory, handoff_directory or directory; owner is null
when nobody has the workspace open.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.where(cmd.Context()) },
	}
}

// where tells all that it can find out, also when the owner does not answer.
func (a *app) where(ctx context.Context) error {
	w, err := a.whereabouts()
	if err != nil {
		return err
	}
	if w.Exists {
		w.Agents, err = a.seen(ctx)
		w.Error = schemas.AsError(err)
	}
	raw, err := json.Marshal(w)
	if err != nil {
		return schemas.InternalError(err)
	}
	if err := a.print(raw, func(p *page) { p.whereabouts(w) }); err != nil {
		return err
	}
	if w.Error != nil {
		a.printError(w.Error, w.Error.Hint)
		return Exit(schemas.Codes[w.Error.Code].Exit)
	}
	return nil
}

// seen gives the agents that were ever in the workspace, the last first.
func (a *app) seen(ctx context.Context) ([]sight, error) {
	var out schemas.AgentsOut
	err := a.visit(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(v *visit) error {
		_, err := v.call(ctx, "list_agents", arguments{"limit": everybody}, &out)
		return err
	})
	seen := []sight{}
	for _, c := range out.Agents {
		seen = append(seen, sight{c.Name, c.Live, c.Seen})
	}
	return seen, err
}

func (p *page) whereabouts(w whereabouts) {
	p.field("workspace", w.Workspace)
	p.field("found by", foundBy[w.FoundBy])
	p.field("project", w.Project)
	if w.LookedIn != "" {
		p.field("looked for in", w.LookedIn+" ("+w.LookedInBy+")")
	}
	p.field("directory", w.Directory)
	if !w.Exists {
		p.line("%s", p.Faint("It does not exist yet: the first who uses it makes it."))
		return
	}
	p.file("store", w.Store)
	p.file("log", w.Log)
	p.field("owner", w.Owner.describe(p.now))
	for _, s := range w.Agents {
		p.field("agent", string(s.Name)+", "+presence(schemas.Card{Live: s.Live, Seen: s.Seen}, p.now))
	}
}

// foundBy says in words what [whereabouts.FoundBy] says.
var foundBy = map[string]string{
	"flag":                        "--workspace",
	"environment":                 "HANDOFF_WORKSPACE",
	string(workspace.ByGit):       "the git repository, with all its worktrees",
	string(workspace.ByMark):      "its .handoff directory",
	string(workspace.ByDirectory): "the directory itself",
}

func (p *page) file(name string, f *workspace.File) {
	if f != nil {
		p.field(name, f.Path+", "+size(f.Bytes))
	}
}
