package place

import (
	"context"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func whereCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "where",
		Short: "Show which workspace this is, its files, who has it open and who was seen",
		Example: `  handoff where
  handoff where --dir ../shop
  handoff where --json | jq -r .directory`,
		Long: `Agents that do not meet are in different workspaces: compare what this prints where each of them runs. It
makes nothing: a workspace that was never used is only named. Beside it stand workspaces in which those may be who
are missed: of directories above and below without git, and of a project that was moved.

With --json found_by is flag, environment, git_common_directory, handoff_directory or directory; owner is null
when nobody has the workspace open, and hidden when another user has.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printWhere(cmd.Context(), a) },
	}
}

// printWhere tells all that it can find out, also when the owner does not answer.
func printWhere(ctx context.Context, a *cli.App) error {
	w, err := findWhereabouts(a)
	if err != nil {
		return err
	}
	if w.Exists {
		w.Agents, err = seen(ctx, a)
		w.Error = schemas.AsError(err)
	}
	if err := a.PrintValue(w, func(p *cli.Page) { printWhereabouts(p, w) }); err != nil {
		return err
	}
	if w.Error != nil {
		a.PrintError(w.Error, w.Error.Hint)
		return cli.Exit(schemas.Codes[w.Error.Code].Exit)
	}
	return nil
}

// seen gives the agents that were ever in the workspace, the last first.
func seen(ctx context.Context, a *cli.App) ([]sight, error) {
	var out schemas.AgentsOut
	err := a.Connect(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *cli.Connection) error {
		_, err := conn.Call(ctx, "list_agents", cli.Arguments{"limit": cli.Everybody}, &out)
		return err
	})
	seen := []sight{}
	for _, c := range out.Agents {
		seen = append(seen, sight{c.Name, c.Live, c.Seen})
	}
	return seen, err
}

func printWhereabouts(p *cli.Page, w whereabouts) {
	p.Field("workspace", w.Workspace)
	p.Field("found by", foundBy[w.FoundBy])
	p.Field("project", w.Project)
	if w.LookedIn != "" {
		p.Field("looked for in", w.LookedIn+" ("+w.LookedInBy+")")
	}
	p.Field("directory", w.Directory)
	for _, n := range w.Beside {
		p.Field("beside", n.String())
		p.Field("  try", n.Join)
	}
	if !w.Exists {
		p.Line("%s", p.Faint("It does not exist yet: the first who uses it makes it."))
		return
	}
	printFile(p, "store", w.Store)
	printFile(p, "log", w.Log)
	p.Field("owner", w.Owner.describe(p.Now))
	for _, s := range w.Agents {
		p.Field("agent", string(s.Name)+", "+cli.Presence(schemas.Card{Live: s.Live, Seen: s.Seen}, p.Now))
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

func printFile(p *cli.Page, name string, f *workspace.File) {
	if f != nil {
		p.Field(name, f.Path+", "+size(f.Bytes))
	}
}
