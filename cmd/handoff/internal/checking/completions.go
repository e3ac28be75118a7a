// Package checking runs the checks of a repository for completed work. A server wraps its invoker in a
// [CompletionChecker], which runs the checks before it passes a completion on. [ProjectChecks.RunLater] runs them after
// the completion, in a process that has a checkout of the repository.
//
// A completion with failed checks is refused and not recorded. So the holder learns of a failed check while it still
// holds the work.
//
// The list of checks, and the names of tests that passed before, come from the base of the work. This commit is fixed
// before the work begins, and is the same for all attempts. Otherwise a holder could weaken a test, commit, and claim
// again, and the weakened test would become the standard.
package checking

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools"
)

// CompletionChecker is an invoker that runs the checks of a completion, and adds the observations to the call. All
// other calls pass unchanged. Completions without a repository or without checks pass unchanged too.
//
// A call waits for its checks for at most the time in Patience. After that time the call is refused as unavailable. The
// completion is not recorded, but the result of the work is kept in a checkpoint of the handoff. The checks continue,
// and a repeat of the call waits for the same checks. The checks end when Stop is called or the process ends.
//
// Its methods may be called concurrently.
type CompletionChecker struct {
	tools.Invoker
	ProjectChecks
	Patience time.Duration // 0 for no limit
	Remote   bool          // callers have checkouts of their own: only the commit that they name counts

	mu   sync.Mutex // guards runs
	runs map[schemas.ID]*checkRun
}

// checkRun is one execution of checks for one handoff.
type checkRun struct {
	job          checks.Job
	began        time.Time
	done         chan struct{} // closed when sight is set
	sight        schemas.CheckReport
	err          error // the run was ended early
	checkpointed bool  // the result is in a checkpoint
	stop         context.CancelFunc
}

// Invoke passes the call on. A completion gets the observations of the checks, a list of agents the names of all checks,
// and a call that may ask for checks the checks that can run now.
func (c *CompletionChecker) Invoke(ctx context.Context, call tools.Call) (_ json.RawMessage, err error) {
	var report *schemas.CheckReport
	switch call.Tool {
	case schemas.AgentsIn{}.Tool():
		if repository, known := c.findRepository(); known {
			report = &schemas.CheckReport{Listed: readWorkingList(repository).Names()}
		}
	case schemas.CompleteIn{}.Tool():
		call = call.WithDecodedArgs()
		if report, err = c.runChecks(ctx, call); err != nil {
			return nil, err
		}
	}
	if preview := c.previewChecks(ctx, call); preview != nil {
		report = cmp.Or(report, &schemas.CheckReport{})
		report.Preview = preview
	}
	call.Caller.CheckReport = report
	return c.Invoker.Invoke(ctx, call)
}

// findRepository returns the repository of the caller's checkout. Known is false if this process is not in the
// checkout.
func (c *CompletionChecker) findRepository() (_ git.Repository, known bool) {
	if c.Remote || c.Dir == "" {
		return git.Repository{}, false
	}
	return git.FindRepository(c.Dir, func(string) bool { return false })
}

// previewChecks returns the checks that could run in this checkout now. It returns nil if the call cannot ask for
// checks, or if this process is not on the caller's machine.
func (c *CompletionChecker) previewChecks(ctx context.Context, call tools.Call) *schemas.CheckReport {
	if !bytes.Contains(call.Args, []byte("hecks")) || c.Remote || c.Dir == "" {
		return nil
	}
	repository, known := c.findRepository()
	if !known {
		return &schemas.CheckReport{Unread: noRepository}
	}
	_, head := repository.Head()
	list, err := c.Runner.ReadList(ctx, repository, head)
	if err == nil {
		err = c.Runner.CheckPermission(repository, list)
	}
	preview := &schemas.CheckReport{Listed: list.Names()}
	if e := schemas.AsError(err); e != nil {
		preview.Unread = strings.TrimSuffix(e.Message, ".") + ". " + e.Hint
	}
	return preview
}

// Stop ends all running checks.
func (c *CompletionChecker) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.runs {
		l.stop()
		<-l.done
	}
}

// runChecks runs the checks of a completion. It returns nil if there is no check to run, or if the mailbox will refuse
// the call for another reason.
func (c *CompletionChecker) runChecks(ctx context.Context, call tools.Call) (*schemas.CheckReport, error) {
	in, err := tools.ArgumentsOf[schemas.CompleteIn](call)
	if err != nil {
		return nil, nil //nolint:nilerr // the mailbox says it
	}
	work := call.Work
	if work == nil {
		work, err = tools.ReadHandoff(ctx, c.Invoker, call, in.HandoffID, "full")
	}
	if err != nil || work.Status.HasEnded() {
		return nil, nil //nolint:nilerr // the mailbox says it, or gives a repetition its first result
	}
	job, unseen := c.newJob(ctx, *work, in.Results, call.Caller.Tree, c.Remote)
	if unseen != "" {
		sight := c.reportUnobserved(ctx, job, unseen)
		return &sight, nil
	}
	l := c.findOrStartRun(work.HandoffID, job)
	var late <-chan time.Time
	if c.Patience > 0 {
		late = time.After(c.Patience)
	}
	select {
	case <-l.done:
	case <-late:
		return nil, c.refuseWhileRunning(ctx, call, in, l)
	case <-ctx.Done():
		return nil, schemas.Errorf(schemas.Unavailable, "the call was cut off").WithHint("Call again.")
	}
	c.removeRun(work.HandoffID, l)
	if l.err != nil {
		return nil, schemas.Errorf(schemas.Unavailable, "nothing is recorded: the checks at %s were ended, as for another completion of the work",
			schemas.ShortCommit(job.Commit)).WithHint("Make the same call again.")
	}
	sight := l.sight
	sight.Uncommitted = job.Uncommitted
	return &sight, nil
}

// findOrStartRun returns the run of a job for a handoff. If the same job already runs, it returns the running one. If
// another job runs for the handoff, it ends that job and starts a new run.
func (c *CompletionChecker) findOrStartRun(id schemas.ID, job checks.Job) *checkRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.runs[id]; l != nil {
		if isSameJob(l.job, job) {
			return l
		}
		l.stop()
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &checkRun{job: job, began: time.Now(), done: make(chan struct{}), stop: stop}
	if c.runs == nil {
		c.runs = map[schemas.ID]*checkRun{}
	}
	c.runs[id] = l
	go func() {
		defer close(l.done)
		defer stop()
		l.sight, l.err = c.Runner.Run(ctx, job)
	}()
	return l
}

// isSameJob reports whether two jobs would have the same observations. If both jobs have uncommitted files, the names
// of these files do not matter.
func isSameJob(a, b checks.Job) bool {
	return a.Base == b.Base && a.Commit == b.Commit && slices.Equal(a.Names, b.Names) && a.Unknown == b.Unknown &&
		(len(a.Uncommitted) == 0) == (len(b.Uncommitted) == 0)
}

// removeRun removes the run of a handoff. The next completion then starts a new run.
func (c *CompletionChecker) removeRun(id schemas.ID, l *checkRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[id] == l {
		delete(c.runs, id)
	}
}

// refuseWhileRunning refuses a completion whose checks still run. It keeps the result of the work in a checkpoint. If
// the holder is gone before the checks end, the next holder gets that result.
func (c *CompletionChecker) refuseWhileRunning(ctx context.Context, call tools.Call, in schemas.CompleteIn, l *checkRun) error {
	running := "its checks run"
	if len(l.job.Names) > 0 {
		running += ", " + strings.Join(l.job.Names, ", ") + " among them"
	}
	c.mu.Lock()
	first := !l.checkpointed
	l.checkpointed = true
	c.mu.Unlock()
	if first {
		report := call
		report.ID, report.Tool = tools.NewRequestID(time.Now(), rand.Reader), schemas.UpdateIn{}.Tool()
		_, _ = tools.InvokeTyped[schemas.UpdateOut](ctx, c.Invoker, report, schemas.UpdateIn{ // the completion itself reports a lost claim
			HandoffID: in.HandoffID, Action: schemas.ActProgress, Token: in.Token, Note: "It was handed in, and " + running + ".",
			Changes: &schemas.Changes{Checkpoint: &schemas.Checkpoint{
				Note:  "It was handed in at " + schemas.ShortCommit(l.job.Commit) + " and not recorded: complete it with state.completion once its checks pass.",
				State: map[string]any{"completion": in.Result},
			}},
		})
	}
	again := schemas.CompleteIn{HandoffID: in.HandoffID, Token: in.Token, Result: schemas.Result{Summary: schemas.Blank}}
	return schemas.Errorf(schemas.Unavailable, "nothing is recorded yet: %s, for %s so far", running, time.Since(l.began).Round(time.Second)).
		WithHint("Make the same call again, with the same arguments: it waits for them.").
		WithNext(schemas.AdviseCall(again, "waits for its checks"))
}
