// Package place has the commands about workspaces themselves, in files of this machine or in a database. The command
// "where" shows the workspace of this directory. The command "workspace list" lists all workspaces. The command
// "workspace adopt" gives a moved project its old workspace, and "workspace remove" deletes a workspace. The command
// "backup" writes a workspace into a file, and "restore" brings it back. The commands "export" and "import" do the same
// with lines of text that people and other programs can read. The command "check" searches for faults, and "compact"
// makes the file smaller.
//
// The commands "workspace adopt", "workspace remove", "restore", "import", "compact" and "check --mend" hold the lock
// of the store, and fail if another process has the workspace open. The commands "backup", "export" and "check"
// (without --mend) also work on an open workspace: they ask its owner to do the work.
package place

import (
	"context"
	"embed"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily].
//
//go:embed help_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return cli.NewFamily(helpTexts,
		whereCommand(a), workspaceCommand(a), backupCommand(a), restoreCommand(a), exportCommand(a), importCommand(a),
		checkCommand(a), compactCommand(a),
	)
}

func workspaceCommand(a *cli.App) *cobra.Command {
	return cli.AddSubcommands(&cobra.Command{Use: "workspace"}, workspacesCommand(a), adoptCommand(a), removeCommand(a))
}

// A workspaceItem is a row of workspace list.
type workspaceItem struct {
	Workspace string        `json:"workspace"`
	Project   string        `json:"project,omitempty"`  // if it is known
	Gone      bool          `json:"gone,omitempty"`     // the project no longer exists
	Database  string        `json:"database,omitempty"` // the database, if it is not in files
	Directory string        `json:"directory,omitempty"`
	Bytes     int64         `json:"bytes,omitempty"` // of all its files
	Used      time.Time     `json:"last_used,omitzero"`
	Owner     *ownerProcess `json:"owner"` // null if no process has it open
}

func workspacesCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use: "list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			look, print := listWorkspaces, printWorkspaces
			if a.UsesDatabase() {
				look, print = databaseWorkspaces, printDatabaseWorkspaces
			}
			all, err := look(cmd.Context(), a)
			if err != nil {
				return err
			}
			return a.PrintValue(map[string]any{"workspaces": all}, func(p *cli.Page) { print(p, all) })
		},
	}
}

func listWorkspaces(_ context.Context, a *cli.App) ([]workspaceItem, error) {
	found, err := workspace.All(a.Getenv)
	if err != nil {
		return nil, schemas.Errorf(schemas.Unavailable, "look for workspaces: %w", err)
	}
	all := []workspaceItem{}
	for _, w := range found {
		all = append(all, workspaceItem{
			Workspace: w.Name, Project: w.Project, Gone: w.Project != "" && workspace.IsProjectGone(w.Project),
			Directory: w.Dir, Bytes: w.TotalSize(), Used: schemas.ValueOrZero(w.StoreFile()).Used, Owner: ownerOfFileStore(w),
		})
	}
	slices.SortStableFunc(all, func(x, y workspaceItem) int { return y.Used.Compare(x.Used) })
	return all, nil
}

func printWorkspaces(p *cli.Page, all []workspaceItem) {
	rows := schemas.Map(all, func(w workspaceItem) []string {
		pid, project := strings.TrimPrefix(schemas.ValueOrZero(w.Owner).Process, "pid "), w.Project
		if filepath.Base(project) == ".git" {
			project = filepath.Dir(project)
		}
		if w.Gone {
			project += " (gone)"
		}
		return []string{w.Workspace, terminal.FormatAge(p.Now.Sub(w.Used)) + " ago", formatSize(w.Bytes), pid, project}
	})
	p.AddTable("no workspace yet", []string{"WORKSPACE", "USED", "SIZE", "OWNER", "PROJECT"}, rows)
}
