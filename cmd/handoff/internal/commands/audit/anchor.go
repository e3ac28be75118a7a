package audit

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func anchorCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "anchor"}
	push := cmd.Flags().String("push", "", "push it to this `remote`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, err := currentHead(cmd.Context(), a)
		if err != nil {
			return err
		}
		anchor, err := findAnchor(a)
		if err != nil {
			return err
		}
		return anchor.addHead(cmd.Context(), a, h, *push)
	}
	return cmd
}

// ownRefs are the refs that contain only heads.
const ownRefs = "refs/handoff/heads/"

// anchor is a ref with heads, one to a commit.
type anchor struct {
	repository git.Repository
	ref        string
}

// findAnchor returns the anchor of the workspace, a ref of the project's repository.
func findAnchor(a *cli.App) (anchor, error) {
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return anchor{}, err
	}
	dir, err := a.WorkspaceConfig().ProjectDir()
	if err != nil {
		return anchor{}, err
	}
	r, ok := git.FindRepository(dir, func(string) bool { return false })
	if !ok {
		return anchor{}, schemas.Invalidf("dir", "%s is in no git repository", dir).WithHint("Name a directory in the project's repository with --dir.")
	}
	return anchor{r, ownRefs + ws.Name}, nil
}

// runGit runs the program git with an input and returns its output. It turns off hooks of the repository, and questions
// to the person.
func (at anchor) runGit(ctx context.Context, input string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", cmp.Or(at.repository.Root, at.repository.Dir), "-c", "core.hooksPath=/dev/null"}, args...)...) //nolint:gosec // a ref and a remote are said by the user
	cmd.Stdin = strings.NewReader(input)
	out, err := git.RunCommand(ctx, cmd, author...)
	if err != nil {
		return "", schemas.Errorf(schemas.Unavailable, "git %s: %w", args[0], err).WithHint("handoff audit anchor --help says what it does with git.")
	}
	return strings.TrimSuffix(out, "\n"), nil
}

// author is the fixed author of the commits, because some users have not configured an author in git. The author proves
// nothing: the head in a commit has its own signature.
var author = []string{
	"GIT_AUTHOR_NAME=handoff", "GIT_AUTHOR_EMAIL=handoff@localhost", "GIT_COMMITTER_NAME=handoff", "GIT_COMMITTER_EMAIL=handoff@localhost",
}

// addHead adds a head to the ref and pushes the ref. If the newest commit of the ref has this head, addHead adds
// nothing.
func (at anchor) addHead(ctx context.Context, a *cli.App, h head, push string) error {
	_, err := at.runGit(ctx, "", "check-ref-format", at.ref)
	if said, ended := errors.AsType[*exec.ExitError](err); ended && said.ExitCode() == 1 {
		return schemas.Invalidf("workspace", "git allows no ref with the name %s", at.ref).
			WithHint("Nothing was changed. Under another name, as one that handoff restore BACKUP --workspace NAME makes, the workspace can be anchored.")
	}
	old, err := at.runGit(ctx, "", "for-each-ref", "--format=%(objectname)", at.ref)
	if err != nil {
		return err
	}
	if old != "" {
		heads, err := at.anchoredHeads(ctx)
		if err == nil { // a registry that has the newest head has the earlier ones
			err = heads[len(heads)-1].checkRegistry(ctx, a, h)
		}
		if err != nil {
			return err
		}
	}
	commit, err := at.commitHead(ctx, h, old)
	if err != nil {
		return err
	}
	spec := at.ref + ":" + at.ref
	if push != "" {
		if _, err := at.runGit(ctx, "", "push", "--no-verify", "--quiet", "--", push, spec); err != nil {
			return err
		}
	}
	said := map[string]any{"ref": at.ref, "commit": commit, "size": h.Size, "root": h.root(), "pushed": push != ""}
	return a.PrintValue(said, func(p *cli.Page) {
		p.AddLine("the head of %s is commit %.12s of %s", schemas.CountNoun(h.Size, "event"), commit, at.ref)
		if push == "" {
			p.AddLine("git push origin %s", spec)
		}
	})
}

// commitHead makes the commit of a head with the low-level commands of git. It then moves the ref to that commit, but
// only if the ref still points to old.
func (at anchor) commitHead(ctx context.Context, h head, old string) (string, error) {
	blob, err := at.runGit(ctx, h.signed, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	tree, err := at.runGit(ctx, "100644 blob "+blob+"\tcheckpoint\n", "mktree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree}
	if old != "" {
		if before, err := at.runGit(ctx, "", "rev-parse", old+"^{tree}"); err != nil || before == tree {
			return old, err
		}
		args = append(args, "-p", old)
	}
	commit, err := at.runGit(ctx, "Head of "+schemas.CountNoun(h.Size, "event")+"\n", args...)
	if err != nil {
		return "", err
	}
	_, err = at.runGit(ctx, "", "update-ref", at.ref, commit, old) // empty: the ref must not exist
	return commit, err
}

// anchoredHeads returns the heads of all commits of the ref, the smallest head first. The file checkpoint of a commit
// holds its head.
func (at anchor) anchoredHeads(ctx context.Context) (heads []savedHead, err error) {
	listed, err := at.runGit(ctx, "", "log", "--no-show-signature", "--format=%H", "--end-of-options", at.ref, "--")
	if err != nil {
		return nil, schemas.Errorf(schemas.NotFound, "there is no anchor %s in the repository %s", schemas.EscapeHidden(at.ref), at.repository.Common).
			WithHint("git fetch origin 'refs/handoff/heads/*:refs/handoff/heads/*' gets those of others, and handoff audit anchor makes one.")
	}
	commits := strings.Split(listed, "\n")
	batch, err := at.runGit(ctx, strings.Join(commits, ":checkpoint\n")+":checkpoint\n", "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for _, commit := range commits {
		first, rest, _ := strings.Cut(batch, "\n")                           // "ID blob SIZE", or an error
		size, _ := strconv.Atoi(first[strings.LastIndexByte(first, ' ')+1:]) // zero if it is missing, which is no head
		e := savedHead{name: "commit " + commit[:12]}
		if e.head, err = parseHead(rest[:min(size, len(rest))]); err != nil {
			return nil, errMismatch("Fetch it again, or name another ref.", "%s: %v", e.name, err)
		}
		heads = append(heads, e)
		batch = strings.TrimPrefix(rest[min(size, len(rest)):], "\n")
	}
	slices.SortStableFunc(heads, func(x, y savedHead) int { return cmp.Compare(x.Size, y.Size) })
	return heads, nil
}
