package place

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func removeCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "remove NAME", Args: cobra.ExactArgs(1)}
	force := cmd.Flags().Bool("force", false, "do not ask, and also delete open handoffs")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if err := refuseInDatabase(a, "remove"); err != nil {
			return err
		}
		w, err := findUsedWorkspace(a, given[0])
		if err != nil {
			return err
		}
		if !*force {
			if err := confirmRemoval(cmd.Context(), a, w); err != nil {
				return err
			}
		}
		return removeWorkspace(cmd.Context(), a, w, *force)
	}
	return cmd
}

// confirmRemoval asks a person to type the name of the workspace. It returns an error without a question if the
// workspace cannot be removed.
func confirmRemoval(ctx context.Context, a *cli.App, w workspace.Workspace) error {
	var h open.HandoffCounts
	err := withExclusiveLock(w, func() (err error) {
		h, err = checkAllEnded(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	all := schemas.CountNoun(h.Handoffs, "handoff")
	if !a.IsTerminal(a.Stdin) {
		return schemas.Errorf(schemas.Invalid, "nobody is there to ask whether %s with %s is to be deleted", w.Name, all).
			WithHint("Nothing was deleted. A person at a terminal is asked; --help shows how it goes unasked.")
	}
	answer, err := a.Ask(ctx, fmt.Sprintf("This deletes %s with %s: %s\nType the name to go on: ", w.Name, all, w.Dir))
	if err != nil {
		return err
	}
	if answer != w.Name {
		return schemas.Errorf(schemas.Conflict, "%s was not removed: that is not its name", w.Name).
			WithHint("Nothing was deleted.")
	}
	return nil
}

func removeWorkspace(ctx context.Context, a *cli.App, w workspace.Workspace, force bool) error {
	var files []string
	err := withExclusiveLock(w, func() (err error) {
		if !force { // an agent may have sent a handoff since the question
			if _, err := checkAllEnded(ctx, w); err != nil {
				return err
			}
		}
		files, err = workspace.Remove(w)
		return err
	})
	if err != nil {
		return err
	}
	removed := map[string]any{"removed": w.Name, "directory": w.Dir, "files": files}
	return a.PrintValue(removed, func(p *cli.Page) {
		p.AddLine("removed %s", p.Bold(w.Name))
		p.AddField("deleted", w.Dir+" with "+strings.Join(files, ", "))
	})
}

// checkAllEnded returns the numbers of handoffs in a workspace. The error is conflict if a handoff has not ended, or if
// the workspace keeps the store that a restore replaced.
func checkAllEnded(ctx context.Context, w workspace.Workspace) (open.HandoffCounts, error) {
	h, err := countHandoffs(ctx, w)
	if err == nil {
		err = checkNoKeptStore(w)
	}
	if err == nil && h.Unfinished > 0 {
		err = schemas.Errorf(schemas.Conflict, "workspace %s holds %s", w.Name, schemas.CountNoun(h.Unfinished, "unfinished handoff")).
			WithHint("Nothing was deleted. handoff list --workspace %s shows them.", w.Name)
	}
	return h, err
}
