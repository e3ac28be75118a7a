package place

import (
	"context"
	"log/slog"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/open"
	"handoff/schemas"
)

// withDatabaseNode joins the nodes of a database while fn runs.
func withDatabaseNode(ctx context.Context, a *cli.App, fn func(*cluster.Node) error) error {
	node, err := cluster.Join(ctx, cluster.Config{Store: a.Getenv("HANDOFF_STORE"), Now: a.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer node.Close()
	return fn(node)
}

// refuseInDatabase refuses a command that works on files if HANDOFF_STORE names a database. The command could otherwise
// find files of a workspace with the same name, which is another workspace.
func refuseInDatabase(a *cli.App, command string) error {
	if !a.UsesDatabase() {
		return nil
	}
	return schemas.Errorf(schemas.Invalid, "workspace %s is for the files of this machine, and HANDOFF_STORE names a database", command).
		WithHint("Nothing was changed. Leave HANDOFF_STORE out for the files; docs/postgres.md says how to remove a workspace of a database.")
}

// addDatabaseFacts adds the facts of the database about a workspace.
func (w *workspaceFacts) addDatabaseFacts(ctx context.Context, a *cli.App) error {
	return withDatabaseNode(ctx, a, func(node *cluster.Node) error {
		w.Database = node.String()
		found, err := node.Workspaces(ctx, w.Workspace)
		for _, known := range found {
			w.Exists, w.Owner = true, ownerOfDatabaseStore(known)
		}
		if err != nil {
			return err
		}
		kept, err := node.HasWorkspace(ctx, open.KeptWorkspaceName(w.Workspace))
		if kept {
			w.Kept = open.KeptWorkspaceName(w.Workspace)
		}
		return err
	})
}

// databaseWorkspaces lists the workspaces of the database.
func databaseWorkspaces(ctx context.Context, a *cli.App) ([]workspaceItem, error) {
	all := []workspaceItem{}
	err := withDatabaseNode(ctx, a, func(node *cluster.Node) error {
		found, err := node.Workspaces(ctx, "")
		for _, w := range found {
			if !open.IsKeptWorkspaceName(w.Name) {
				all = append(all, workspaceItem{Workspace: w.Name, Database: node.String(), Owner: ownerOfDatabaseStore(w)})
			}
		}
		return err
	})
	return all, err
}

// ownerOfDatabaseStore returns the owner of a workspace in a database, or nil if the workspace has no owner.
func ownerOfDatabaseStore(w cluster.Workspace) *ownerProcess {
	if w.Owner == nil {
		return nil
	}
	return &ownerProcess{PID: w.Owner.PID, Process: w.Owner.ProcessText(), Version: w.Owner.Version, Since: w.Owner.Started, Address: w.Owner.Address.Addr}
}

func printDatabaseWorkspaces(p *cli.Page, all []workspaceItem) {
	rows := schemas.Map(all, func(w workspaceItem) []string { return []string{w.Workspace, schemas.ValueOrZero(w.Owner).Address} })
	p.AddTable("no workspace yet", []string{"WORKSPACE", "OWNER"}, rows)
}
