package place

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

func restoreCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "restore {FILE | --undo | --accept}",
		Args: cobra.MaximumNArgs(1),
	}
	replace := cmd.Flags().Bool("replace", false, "replace the present workspace, and keep it")
	undo := cmd.Flags().Bool("undo", false, "use the workspace from before the last restore again, and keep the present one")
	accept := cmd.Flags().Bool("accept", false, "delete the workspace from before the last restore")
	cmd.MarkFlagsMutuallyExclusive("replace", "undo", "accept")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if (len(given) == 1) == (*undo || *accept) {
			return schemas.Invalidf("FILE", "name one file, or give --undo or --accept")
		}
		w, err := workspace.Find(a.WorkspaceConfig())
		if err != nil {
			return err
		}
		r := restoration{a, w}
		switch {
		case *undo:
			return r.settleKeptStore(cmd.Context(), "undone", r.undoRestore)
		case *accept:
			return r.settleKeptStore(cmd.Context(), "accepted", r.acceptRestore)
		}
		return r.restore(cmd.Context(), given[0], *replace)
	}
	return cmd
}

// restoration is one run of the command.
type restoration struct {
	*cli.App
	to workspace.Workspace
}

func (r restoration) restore(ctx context.Context, name string, replace bool) error {
	file, err := backupFile(r.App, name)
	if err != nil {
		return err
	}
	found, err := verifyBackupFile(ctx, r.App, file)
	if err != nil {
		return explainFileError("restore from "+schemas.EscapeHidden(file), err, "Nothing was changed.")
	}
	kept, moved, err := r.replaceStore(ctx, file, replace)
	if err != nil {
		return explainRestoreError(file, err)
	}
	said := contentsFields(found)
	said["restored"], said["file"] = r.to.Name, file
	if kept != "" {
		said["kept"] = kept
	}
	if moved {
		said["moved"] = r.to.Dir
	}
	return r.PrintValue(said, func(p *cli.Page) {
		p.AddLine("restored %s from %s", p.Bold(r.to.Name), schemas.EscapeHidden(file))
		printContents(p, found)
		if kept != "" {
			p.AddLine("kept what was there: %s", kept)
			p.AddLine("%s", p.Faint("handoff restore --undo uses it again, handoff restore --accept deletes it."))
		}
		if moved {
			p.AddLine("%s is not used any more: from now on HANDOFF_STORE leads to the workspace", r.to.Dir)
		} else if r.UsesDatabase() && r.to.HasStore() {
			p.AddLine("%s has something else, and is used as before without HANDOFF_STORE", r.to.Dir)
		}
	})
}

// explainRestoreError adds the remark that the restore changed nothing to an error. It returns nil if err is nil.
func explainRestoreError(file string, err error) error {
	return explainFileError("restore from "+schemas.EscapeHidden(file), err, "Nothing that was there was changed.")
}

// verifyBackupFile reads a whole backup and returns its contents. It changes nothing.
func verifyBackupFile(ctx context.Context, a *cli.App, file string) (audit.StoreSummary, error) {
	info, err := os.Stat(file) // its errors are more exact, and opening a pipe would block
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file: %w", file, store.ErrForeign)
	}
	if err != nil {
		return audit.StoreSummary{}, err
	}
	defer a.ShowProgress("verifying the backup")()
	return open.VerifyBackup(ctx, file)
}

func (r restoration) replaceStore(ctx context.Context, file string, replace bool) (kept string, moved bool, err error) {
	defer r.ShowProgress("restoring " + r.to.Name)()
	err = withNodeOrLock(ctx, r.App, r.to, func(node *cluster.Node) error {
		restore := func() error {
			kept, moved, err = open.Restore(ctx, r.to, node, file, replace)
			return explainRestoreError(file, err)
		}
		if node != nil && r.to.HasStore() { // locking unused files would create them
			return withStoreLock(r.to, restore)
		}
		return restore()
	})
	return kept, moved, err
}

func (r restoration) undoRestore(ctx context.Context) (said string, err error) {
	moved := false
	_ = withOwnedStore(ctx, r.App, r.to, func(b store.Backend) error { // a store that cannot be opened was not moved
		moved, err = open.ReopenMovedStore(ctx, b)
		return err
	})
	if moved {
		return "is used again, as it was when it moved", err
	}
	err = withNodeOrLock(ctx, r.App, r.to, func(node *cluster.Node) error {
		return r.explainKeptError(open.UndoRestore(ctx, r.to, node))
	})
	return "is used again, as it was before the restore; the restored workspace is kept", err
}

func (r restoration) acceptRestore(ctx context.Context) (said string, err error) {
	confirm := func() error {
		_, err := r.ConfirmPerson(ctx, schemas.PersonNeededf("the state of %s from before the last restore is deleted for good by a person alone", r.to.Name))
		return err
	}
	err = withNodeOrLock(ctx, r.App, r.to, func(node *cluster.Node) error {
		return r.explainKeptError(open.AcceptRestore(ctx, r.to, node, confirm))
	})
	return "has nothing any more from before the restore", err
}

// explainKeptError adds a remark to an error about the replaced store that a restore kept. It returns nil if err is
// nil.
func (r restoration) explainKeptError(err error) error {
	return explainFileError("change the kept state of "+r.to.Name, err, "handoff where shows what is there.")
}

// settleKeptStore runs fn, which puts the replaced store back or deletes it. It prints the result of fn. The parameter
// did is the name of the result's field in JSON.
func (r restoration) settleKeptStore(ctx context.Context, did string, fn func(context.Context) (string, error)) error {
	if !r.UsesDatabase() && !r.to.Exists() {
		return errNoWorkspace(r.to, "on this machine") // locking would create it
	}
	said, err := fn(ctx)
	if err = r.explainKeptError(err); err != nil {
		return err
	}
	return r.PrintValue(map[string]any{did: r.to.Name}, func(p *cli.Page) { p.AddLine("%s %s", p.Bold(r.to.Name), said) })
}
