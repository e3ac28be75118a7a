package look

import (
	"cmp"
	"context"
	"encoding/json"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/render"
	"handoff/schemas"
)

// diffOptions are the flags of diff.
type diffOptions struct{ asked, stat bool }

func diffCommand(a *cli.App) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{Use: "diff ID [ID]", Args: cobra.RangeArgs(1, 2)}
	cmd.Flags().BoolVar(&o.asked, "asked", false, "only compare the result with the request")
	cmd.Flags().BoolVar(&o.stat, "stat", false, "changed files with numbers of lines, instead of the changes")
	cmd.MarkFlagsMutuallyExclusive("asked", "stat")
	a.DefineReadFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return o.show(cmd.Context(), a, given)
	}
	return cmd
}

func (o diffOptions) show(ctx context.Context, a *cli.App, given []string) error {
	got, err := readReviewedWork(ctx, a, given[len(given)-1])
	if err != nil {
		return err
	}
	earlier := ""
	switch {
	case len(given) == 2:
		earlier = given[0]
	case got.Handoff.Rework != nil:
		earlier = got.Handoff.Metadata.Parent.String()
	}
	var before *schemas.GetOut
	if earlier != "" {
		was, err := readReviewedWork(ctx, a, earlier)
		if err != nil {
			return err
		}
		before = &was
	}
	c := render.Compare(got, before)
	var absent error
	if !o.asked {
		absent = o.addChanges(ctx, a, &c, got, before)
	}
	raw, _ := schemas.Encode(c) // it was decoded from JSON
	return cmp.Or(printPaged(ctx, a, raw, c.Draw), absent)
}

// addChanges adds the changes that git shows up to the delivered commit. It adds nothing if no commit was delivered.
// The error is not_found if the repository lacks the commit.
func (o diffOptions) addChanges(ctx context.Context, a *cli.App, c *render.Comparison, got schemas.GetOut, before *schemas.GetOut) error {
	done := schemas.ValueOrZero(got.Completion)
	if done.Commit() == "" {
		return nil
	}
	dir, err := a.WorkspaceConfig().ProjectDir()
	if err != nil {
		return err
	}
	repository, _ := git.FindRepository(dir, func(string) bool { return false })
	commit := findCommit(ctx, repository, done.Commit())
	if commit == "" {
		return absentCommitError(repository, done)
	}
	for _, from := range firstCommits(got, before) {
		common := repository.CommonCommit(ctx, findCommit(ctx, repository, from), commit)
		if c.Base == "" || c.Base == commit {
			c.Base = cmp.Or(common, c.Base)
		}
	}
	if c.Base == "" {
		return schemas.Errorf(schemas.NotFound, "the commit at which this work began is not in this repository").
			WithField("base").WithHint("git show %s shows the last commit alone.", commit)
	}
	c.Changes, err = repository.Diff(ctx, c.Base, commit, o.stat)
	return err
}

// findCommit returns the whole id of a commit that the repository has, or "". The id may be shortened. A branch of the
// same name does not count.
func findCommit(ctx context.Context, r git.Repository, id string) string {
	if r.Dir == "" || !schemas.IsCommitID(id) {
		return ""
	}
	whole, _ := r.ResolveCommit(ctx, id) // not here
	if !strings.HasPrefix(whole, id) {
		return ""
	}
	return whole
}

// firstCommits returns the commits at which the delivered changes may begin, the best first: the delivered commit of
// the round before, the commit of the claim, and the base of the checks. For work that was claimed several times, the
// base comes before the commit of the last claim.
func firstCommits(got schemas.GetOut, before *schemas.GetOut) []string {
	last := schemas.ValueOrZero(schemas.ValueOrZero(before).Completion)
	tree := schemas.ValueOrZero(schemas.ValueOrZero(got.Completion).Tree)
	if got.Standing.Attempt > 1 {
		return []string{last.Commit(), got.Standing.Base, tree.Since, tree.Base}
	}
	return []string{last.Commit(), tree.Since, got.Standing.Base, tree.Base}
}

// absentCommitError returns the error for a delivered commit that the repository lacks, with the command that fetches
// it.
func absentCommitError(r git.Repository, done schemas.Completion) error {
	tree := schemas.ValueOrZero(done.Tree)
	branch, _ := done.Results["branch"].(string)
	fetch := "git fetch --all may bring it."
	switch branch = cmp.Or(branch, tree.Branch); {
	case r.Dir == "":
		fetch = "There is no git repository here."
	case branch != "" && !strings.HasPrefix(branch, "-"):
		fetch = "git fetch origin " + cli.ShellWord(branch) + " may bring it."
	}
	return schemas.Errorf(schemas.NotFound, "the delivered commit %s is not in this repository", done.Commit()).WithField("commit").
		WithHint("%s The work was completed in %s.", fetch, cmp.Or(tree.Path, "another place"))
}

// printPaged is [cli.App.Print] for a long page. On a terminal it passes the page to the pager of the person.
func printPaged(ctx context.Context, a *cli.App, raw json.RawMessage, fill func(*cli.Page)) error {
	words := strings.Fields(cmp.Or(a.Getenv("PAGER"), "less -FRX"))
	program, err := exec.LookPath(words[0])
	if a.JSON || !a.Style().Terminal || err != nil {
		return a.Print(raw, fill)
	}
	p := &cli.Page{Style: a.Style(), Flags: a.CallerFlags()}
	fill(p)
	pager := exec.CommandContext(ctx, program, words[1:]...) //nolint:gosec // the person chose it
	pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(p.String()), a.Stdout, a.Stderr
	if pager.Run() != nil && ctx.Err() == nil {
		return a.Write(p.String())
	}
	return nil
}

// readReviewedWork returns a handoff in full. For a review it returns the handoff under review.
func readReviewedWork(ctx context.Context, a *cli.App, id string) (got schemas.GetOut, err error) {
	if strings.HasPrefix(id, "wf_") {
		return got, workflowIDError(id)
	}
	for range 10 { // nothing proves that the chain of reviews ends
		got, _, err = cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": id, "view": "full"})
		if err != nil || got.Handoff.Review == nil {
			break
		}
		id = got.Handoff.Review.Of.String()
	}
	return got, err
}
