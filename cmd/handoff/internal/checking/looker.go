package checking

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
)

// ProjectChecks runs the checks of one project.
type ProjectChecks struct {
	Runner checks.Runner
	Dir    string // of the project; empty for none
}

// noRepository is the reason why no check can run outside of git.
const noRepository = "no git repository is beside this call"

// newJob returns the checks to run for a handoff. The checks run at the commit that the result names, or otherwise at
// the commit of the working tree. If no check can run, unseen is the reason.
func (l ProjectChecks) newJob(ctx context.Context, work schemas.GetOut, results map[string]any, tree *schemas.Tree, afar bool) (job checks.Job, unseen string) {
	job.Names = schemas.ValueOrZero(schemas.ValueOrZero(work.Handoff).Expectations).Checks
	var known bool
	job.Base = schemas.ValueOrZero(work.Standing).Base
	if job.Repository, known = git.FindRepository(l.Dir, func(string) bool { return false }); l.Dir == "" || !known {
		return job, noRepository
	}
	done := schemas.Completion{Result: schemas.Result{Results: results}}
	if !afar {
		done.Tree = tree
	}
	if job.Commit = done.Commit(); job.Commit == "" {
		return job, "the completion names no commit: say it in results.commit"
	}
	job.Uncommitted, job.Unknown = uncommittedFiles(job.Repository, done.Tree)
	whole, err := job.Repository.ResolveCommit(ctx, job.Commit)
	if errors.Is(err, exec.ErrNotFound) {
		return job, "the program git is not installed here, or not in PATH"
	}
	if err != nil || !strings.HasPrefix(whole, job.Commit) { // a branch may have the name of an id
		return job, "the commit " + schemas.ShortCommit(job.Commit) + " is not in this repository, or several begin so: fetch it, or push it, and say its whole id"
	}
	job.Commit, job.Work = whole, work.HandoffID
	if !git.IsObjectID(job.Base) {
		return job, "nobody knows at which commit the work began: neither its sender nor its first holder had a checkout; " + job.AdviceOnBase()
	}
	return job, ""
}

// uncommittedFiles returns the files of a working tree that were uncommitted when the work was done. If handoff does
// not know these files, or if they may have changed since, unknown says why.
func uncommittedFiles(repository git.Repository, tree *schemas.Tree) (files []string, unknown string) {
	if tree == nil {
		return nil, "the checkout in which the work was done is elsewhere"
	}
	if tree.Unknown != "" {
		return nil, tree.Unknown
	}
	if _, head := repository.Head(); !platform.IsSameFile(tree.Path, repository.Root) || tree.Commit != head {
		unknown = "it is elsewhere, or at another commit now"
	}
	return tree.Uncommitted, unknown
}

// RunLater runs the checks of completed work and records the observations in the mailbox. It is for work whose holder
// had no checkout: the process that calls RunLater must have a checkout.
func (l ProjectChecks) RunLater(ctx context.Context, by tools.Invoker, caller schemas.Caller, id string) (schemas.CheckReport, error) {
	work, err := tools.ReadHandoff(ctx, by, tools.Call{Caller: caller}, id, "full")
	if err != nil {
		return schemas.CheckReport{}, err
	}
	if work.Completion == nil || work.Status != schemas.Completed {
		return schemas.CheckReport{}, schemas.Errorf(schemas.Conflict, "%s is %s, and checks look at what was completed", work.HandoffID, work.Status).
			WithHint("Complete it first; or name a commit.")
	}
	if seen, all := recordedObservations(work.Completion); all {
		return seen, nil
	}
	job, unseen := l.newJob(ctx, *work, work.Completion.Results, work.Completion.Tree, false)
	if unseen != "" {
		return l.reportUnobserved(ctx, job, unseen), nil
	}
	if now, err := job.Repository.UncommittedFiles(ctx); err != nil || !slices.Equal(now, job.Uncommitted) {
		job.Unknown = "it was changed since"
	}
	sight, err := l.Runner.Run(ctx, job)
	if err != nil || len(sight.Observed) == 0 {
		return sight, err
	}
	tell := tools.Call{ID: tools.NewRequestID(time.Now(), rand.Reader), Caller: caller, Tool: "checks_observe"}
	if _, err := tools.InvokeTyped[schemas.ObserveOut](ctx, by, tell, schemas.ObserveIn{HandoffID: id, Seen: sight.Observed}); err != nil {
		return sight, fmt.Errorf("tell what was seen: %w", err)
	}
	return sight, nil
}

// reportUnobserved returns a report without observations. For each check that the job names, or that the repository
// always runs, the report has the text `why` as the reason. If the list of checks cannot be read at the base, the names
// come from the list in the working tree.
func (l ProjectChecks) reportUnobserved(ctx context.Context, job checks.Job, why string) schemas.CheckReport {
	s := schemas.CheckReport{Unobserved: map[string]string{}}
	list, err := l.Runner.ReadList(ctx, job.Repository, job.Base)
	if e := schemas.AsError(err); e != nil && e.Code != schemas.NotFound && job.Repository.Root != "" {
		if list = readWorkingList(job.Repository); list.Digest != "" {
			s.Unread = why
		}
	}
	for _, name := range list.WantedNames(job.Names) {
		s.Unobserved[name], s.Unread = why, ""
	}
	return s
}

// readWorkingList returns the list of checks in the working tree of a repository. It is empty if it cannot be read.
func readWorkingList(r git.Repository) (list checks.List) {
	text, err := platform.ReadRegular(filepath.Join(r.Root, checks.File), 64<<10)
	if err == nil && r.Root != "" {
		list, _ = checks.Parse(text)
	}
	return list
}

// recordedObservations returns the observations of a completion. The result all is true if no check is missing, so that
// no check has to run again.
func recordedObservations(done *schemas.Completion) (seen schemas.CheckReport, all bool) {
	all = true
	for _, a := range done.Criteria {
		if a.Observed != nil {
			seen.Observed = append(seen.Observed, *a.Observed)
		}
		all = all && (a.Check == "" || a.Observed != nil)
	}
	return seen, all && len(seen.Observed) > 0
}
