// Package checks has the commands that list and run the checks of a repository. It also has the commands with which a
// person allows checks, and rules in files.
package checks

import (
	"context"
	"embed"
	"strings"

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
		cli.AddSubcommands(&cobra.Command{
			Use:   "checks",
			Short: "Run the checks of a repository",
		}, listCommand(a), allowCommand(a, consent.Checks), denyCommand(a, consent.Checks), runCommand(a)),
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

// listResult is a list as it is printed.
type listResult struct {
	Commit   string `json:"commit,omitempty"`
	Allowed  bool   `json:"allowed"`
	Path     string `json:"path,omitempty"` // the PATH for commands, from the time of the permission
	Why      string `json:"why,omitempty"`  // why it is not allowed
	Problems string `json:"problems,omitempty"`
	checks.List
}

func listCommand(a *cli.App) *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show the list of checks, its leave and its errors",
		Long:  "Exit status 2: the list has an error.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, at, list, err := readList(cmd.Context(), a, base)
			broken := schemas.AsError(err)
			if broken != nil && broken.Code != schemas.Invalid {
				return err
			}
			said := listResult{Commit: at, List: list}
			if broken != nil {
				said.Problems = broken.Message
			} else if given, _ := h.Runner.Permissions(h.repository).Find(consent.Checks, list.Digest); given != nil {
				said.Allowed, said.Path = true, given.Path
			} else {
				said.Why = schemas.AsError(h.Runner.CheckPermission(h.repository, list)).Message
			}
			return cli.ExitErrorUnless(broken == nil, schemas.Invalid, a.PrintValue(said, said.print))
		},
	}
	cmd.Flags().StringVar(&base, "base", "", "the `commit` with the list (default: HEAD)")
	return cmd
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

func (l listResult) print(p *cli.Page) {
	if l.Problems != "" {
		p.AddProblems(strings.Split(l.Problems, "\n"))
		return
	}
	for _, c := range l.Checks {
		p.AddLine("%s", p.Quote(c.String(), 0))
	}
	state := p.Yellow("not allowed") + ": handoff allow"
	if l.Allowed {
		state = p.Green("allowed")
	}
	p.AddLine("%s of %s, at %s: %s", schemas.CountNoun(len(l.Checks), "check"), l.Digest[:12], schemas.ShortCommit(l.Commit), state)
	p.AddField("why", l.Why)
	p.AddField("PATH", l.Path)
}
