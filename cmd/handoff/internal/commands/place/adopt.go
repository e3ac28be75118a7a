package place

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/tools/relay"
)

func adoptCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "adopt NAME", Args: cobra.ExactArgs(1)}
	force := cmd.Flags().Bool("force", false, "adopt it although its project still exists")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if err := refuseInDatabase(a, "adopt"); err != nil {
			return err
		}
		if a.Workspace != "" {
			return schemas.Invalidf("workspace", "adopt gives a workspace to a project, not to another name").
				WithHint("Leave --workspace and HANDOFF_WORKSPACE out, and name the project with --dir.")
		}
		now, err := workspace.Find(a.WorkspaceConfig())
		if err != nil {
			return err
		}
		was, err := findUsedWorkspace(a, given[0])
		if err != nil {
			return err
		}
		if err := moveWorkspace(cmd.Context(), was, now, *force || workspace.IsPart(was, now, a.Getenv)); err != nil {
			return err
		}
		if err := a.RedeclareAgentsFiles(cmd.Context()); err != nil { // the project has another name now, and so have its files
			return err
		}
		adopted := map[string]string{
			"adopted": was.Name, "workspace": now.Name, "project": now.Project, "directory": now.Dir,
		}
		return a.PrintValue(adopted, func(p *cli.Page) {
			p.AddLine("%s is now %s, of %s", was.Name, p.Bold(now.Name), schemas.EscapeHidden(now.Project))
		})
	}
	return cmd
}

// moveWorkspace renames one workspace to another, unused one.
func moveWorkspace(ctx context.Context, was, now workspace.Workspace, force bool) error {
	project := workspace.RecordedProject(was)
	switch {
	case was.Name == now.Name:
		return schemas.Errorf(schemas.Conflict, "%s is the workspace of this project already", now.Name).
			WithHint("There is nothing to do.")
	case project != "" && project != now.Project && !workspace.IsProjectGone(project) && !force:
		return schemas.Errorf(schemas.Conflict, "%s belongs to %s, which is still there", was.Name, project).
			WithHint("Share it with --workspace %s. handoff workspace adopt --help shows how to take it away.", was.Name)
	}
	return withExclusiveLock(was, func() error {
		if err := removeUnusedWorkspace(ctx, now); err != nil {
			return err
		}
		return workspace.Move(was, now)
	})
}

// removeUnusedWorkspace removes an unused workspace that has the name which the adopted workspace will get. The unused
// workspace may have no store yet, if a server started for it and received no call.
func removeUnusedWorkspace(ctx context.Context, w workspace.Workspace) error {
	if !w.Exists() {
		return nil
	}
	return withExclusiveLock(w, func() error {
		h, err := countHandoffs(ctx, w)
		if err != nil {
			return err
		}
		if h.Handoffs > 0 {
			const said = "the project has a workspace already, %s, with %s"
			return schemas.Errorf(schemas.Conflict, said, w.Name, schemas.CountNoun(h.Handoffs, "handoff")).
				WithHint("Reach the other one with --workspace, or make room first: handoff workspace --help shows how.")
		}
		if err := checkNoKeptStore(w); err != nil {
			return err
		}
		_, err = workspace.Remove(w)
		return err
	})
}

// checkNoKeptStore returns an error if the workspace still keeps the store that a restore replaced. The replaced store
// may hold more handoffs than the current one, so it must not be deleted together with the workspace.
func checkNoKeptStore(w workspace.Workspace) error {
	kept := w.KeptFile()
	if kept == nil {
		return nil
	}
	return schemas.Errorf(schemas.Conflict, "workspace %s keeps its state from before a restore: %s", w.Name, kept.Path).
		WithHint("Nothing was deleted. handoff restore --undo uses it again, handoff restore --accept deletes it.")
}

// findUsedWorkspace returns the workspace with a name. The error is not_found if the workspace has no store.
func findUsedWorkspace(a *cli.App, name string) (workspace.Workspace, error) {
	w, err := workspace.Named(name, a.Getenv)
	if err != nil {
		return w, err
	}
	if !w.HasStore() {
		return w, schemas.Errorf(schemas.NotFound, "there is no workspace %s", name).
			WithHint("handoff workspace list shows which there are.")
	}
	return w, nil
}

// withExclusiveLock runs fn while no other process has the workspace open or can open it. Fn may remove or move all
// files of the workspace. On Windows it releases the lock before it runs fn, because Windows cannot move or remove an
// open lock file.
func withExclusiveLock(w workspace.Workspace, fn func() error) error {
	return runWithLock(w, runtime.GOOS == "windows", fn)
}

// withStoreLock runs fn while no other process has the workspace open. Fn must leave the lock file in its place. Unlike
// [withExclusiveLock], it holds the lock during fn on Windows too.
func withStoreLock(w workspace.Workspace, fn func() error) error { return runWithLock(w, false, fn) }

func runWithLock(w workspace.Workspace, free bool, fn func() error) error {
	release, err := relay.LockWorkspace(w.Dir)
	if errors.Is(err, relay.ErrInUse) {
		who := ""
		if o := ownerOfFileStore(w); o != nil {
			who = fmt.Sprintf(": %s, handoff %s", o.Process, o.Version)
		}
		return schemas.Errorf(schemas.Conflict, "workspace %s is open in another process%s", w.Name, who).
			WithHint("End the clients that use it, then call again.")
	}
	if err != nil {
		return relay.UnusableError(w.Name, w.Dir, err)
	}
	if free {
		err = release() // Windows neither removes nor moves open files, not even the lock
	}
	if err == nil {
		err = errors.Join(fn(), release())
	}
	if _, coded := errors.AsType[*schemas.Error](err); err == nil || coded {
		return err
	}
	if store.IsDamaged(err) {
		return store.DamagedError(err)
	}
	return schemas.Errorf(schemas.Internal, "%w", err).WithHint("Look at %s.", w.Dir)
}

// countHandoffs returns the numbers of handoffs in a workspace that no other process has open.
func countHandoffs(ctx context.Context, w workspace.Workspace) (open.HandoffCounts, error) {
	h, err := open.CountHandoffs(ctx, w)
	if _, coded := errors.AsType[*schemas.Error](err); err != nil && !coded && !store.IsDamaged(err) {
		err = schemas.Errorf(schemas.Unavailable, "look into workspace %s: %w", w.Name, err).
			WithHint("Nothing was changed. Look at %s.", w.Dir)
	}
	return h, err
}
