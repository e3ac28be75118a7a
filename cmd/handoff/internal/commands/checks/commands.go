// Package checks has the commands that list and run the checks of a repository. It also has the commands with which a
// person allows checks, and rules in files.
package checks

import (
	"context"
	"embed"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/consent"
	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily].
//
//go:embed help_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return cli.NewFamily(helpTexts,
		cli.AddSubcommands(&cobra.Command{Use: "checks"}, listCommand(a), allowCommand(a, consent.Checks), denyCommand(a, consent.Checks), runCommand(a)),
		allowCommand(a, ""), denyCommand(a, ""),
	)
}

// repositoryChecks is a repository, and the runner of its checks.
type repositoryChecks struct {
	checking.ProjectChecks
	repository git.Repository
	head       string
}

func findChecks(a *cli.App) (h repositoryChecks, err error) {
	dir, err := a.WorkspaceConfig().ProjectDir()
	if err != nil {
		return h, err
	}
	if h.ProjectChecks, err = a.Checks(dir); err != nil {
		return h, err
	}
	known := false
	if h.repository, known = git.FindRepository(dir, func(string) bool { return false }); !known {
		if _, err := a.WorkspaceConfig().Root(); err != nil {
			return h, err
		}
	}
	_, h.head = h.repository.Head()
	return h, nil
}

// resolveCommit returns the full id of a commit that the user named. If the user named no commit, it returns the id of
// HEAD.
func (h repositoryChecks) resolveCommit(ctx context.Context, flag, name string) (string, error) {
	if name == "" || h.repository.Common == "" {
		return h.head, nil
	}
	id, err := h.repository.ResolveCommit(ctx, name)
	if err != nil {
		return "", schemas.Errorf(schemas.NotFound, "%q is no commit of this repository", schemas.EscapeHidden(name)).
			WithField(flag).WithHint("Name a commit, a branch or a tag.")
	}
	return id, nil
}

func readList(ctx context.Context, a *cli.App, base string) (h repositoryChecks, at string, list checks.List, err error) {
	if h, err = findChecks(a); err != nil {
		return h, at, list, err
	}
	if at, err = h.resolveCommit(ctx, "base", base); err != nil {
		return h, at, list, err
	}
	list, err = h.Runner.ReadList(ctx, h.repository, at)
	return h, at, list, err
}
