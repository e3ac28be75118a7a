// Package project adds to calls the facts that only a process on the project's machine knows: the content of the
// project's files, and the git working tree.
//
// The owner of the store may run on another machine, so it cannot read the caller's files. Therefore this package reads
// a file whose path an agent names. It reads no file outside of the project: [os.Root] follows no link out.
//
// The git working tree is a field of the caller, so that no agent can forge it in its arguments. Branch and commit are
// read from files. The program git tells the rest: facts of commits once for each commit, and the uncommitted files by
// looks that callers share, see [git.Looker]. A claim does not wait for a look. What the look sees is added to the claim
// later. A completion, and each call of a command, waits for a look that begins after its call. Other calls wait 50 ms,
// and then use what an earlier look saw.
package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools"
)

// workingTree returns the git working tree of the project, with its branch and commit, and the repository. The tree is
// nil outside of git. workingTree looks for a repository at most once a second.
func (f *Invoker) workingTree() (*schemas.Tree, git.Repository) {
	f.mu.Lock()
	if time.Since(f.lookedAt) > time.Second {
		f.repository, f.inside = git.FindRepository(f.Dir, func(string) bool { return false })
		f.lookedAt = time.Now()
		f.bases.Clear()
	}
	r, ok := f.repository, f.inside
	f.mu.Unlock()
	if f.Dir == "" || !ok || r.Root == "" {
		return nil, r
	}
	branch, commit := r.Head()
	return &schemas.Tree{Path: r.Root, Branch: branch, Commit: commit}, r
}

// usualTime is the time for which a send and a report wait for a look at the tree.
const usualTime = 50 * time.Millisecond

// LongPatience is the time for which a call waits for facts of commits, and a completion for its look at the tree. Each
// call of a command waits as long for its look, because no later call of the same process could add what git finds.
const LongPatience = 5 * time.Second

// recentTime is the time for which a claim, a send and a report use what a look saw.
const recentTime = 2 * time.Second

// staleTime is the time for which a send and a report that waited in vain use what a look saw.
const staleTime = 30 * time.Second

// restTime is the time after a claim in which no look begins for it, if it told files that an earlier look saw. So a
// completion right after the claim waits for one look, and not for two.
const restTime = 100 * time.Millisecond

// workArguments is the part of a call's arguments about its work.
type workArguments struct {
	HandoffID string         `json:"handoff_id"`
	Action    schemas.Action `json:"action"`
	Type      string         `json:"type"`
}

// addWorkingTree adds the working tree, with its uncommitted files, to the caller of a send, claim, report or
// completion. For a claim, report or completion it adds the changes of the branch, and for a report or completion the
// changes since the claim. Other calls, and calls outside of git, stay unchanged.
func (f *Invoker) addWorkingTree(ctx context.Context, c *tools.Call) {
	if !slices.Contains(treeTools, c.Tool) {
		return
	}
	tree, repository := f.workingTree()
	if tree == nil { // before it reads the arguments
		return
	}
	*c = c.WithDecodedArgs()
	about, err := tools.ArgumentsOf[workArguments](*c)
	if err != nil || about.Type == schemas.TypeMessage || about.Action != "" && about.Action != schemas.ActProgress {
		return // the mailbox reports the error
	}
	wait, view := max(usualTime, f.Patience), schemas.View("")
	switch c.Tool {
	case schemas.ClaimIn{}.Tool():
		wait = f.Patience
	case schemas.CompleteIn{}.Tool():
		wait, view = max(LongPatience, f.Patience), "full"
	case schemas.UpdateIn{}.Tool():
		view = "outcome"
	}
	look := f.findLook(tree.Commit, repository, wait) // it runs beside what follows
	if view != "" {                                   // if the handoff cannot be read, the mailbox refuses the call, too
		c.Work, _ = tools.ReadHandoff(ctx, f.Invoker, *c, about.HandoffID, view)
	}
	tree.Since = schemas.ValueOrZero(schemas.ValueOrZero(schemas.ValueOrZero(c.Work).Standing).ClaimedIn).Commit
	c.Caller.Tree = tree
	if c.Tool != (schemas.SendIn{}).Tool() {
		c.Caller.BranchState = &schemas.BranchState{Repository: repository.Common}
	}
	f.addCommitFacts(ctx, &c.Caller, repository)
	f.addUncommittedFiles(ctx, tree, look, wait)
}

// findLook returns a look for a caller that waits for it for some time: a recent one, or the next one, or nil for a
// caller that does not wait. For a caller with long patience it is always the next one.
func (f *Invoker) findLook(commit string, r git.Repository, wait time.Duration) *git.Look {
	if wait < LongPatience {
		if recent := f.looks.Last(commit, recentTime); recent != nil || wait == 0 {
			return recent
		}
	}
	return f.looks.Next(r)
}

// addCommitFacts adds the facts of commits to a tree and to the state of its branch, which is nil for a send. If git
// does not answer, the field Unknown says so, and the state of the branch is removed. Git answers each question once
// for each commit, and then the facts are remembered. The target branch is read at most once a second.
func (f *Invoker) addCommitFacts(ctx context.Context, by *schemas.Caller, r git.Repository) {
	ctx, cancel := context.WithTimeout(ctx, LongPatience)
	defer cancel()
	tree, branch := by.Tree, by.BranchState
	var err error
	head := [2]string{tree.Branch, tree.Commit}
	if base, known := f.bases.Load(head); known {
		tree.Base = base.(string)
	} else if tree.Base, err = r.Base(ctx, tree.Branch, tree.Commit); err == nil {
		f.bases.Store(head, tree.Base)
	}
	if err == nil && tree.Since != "" {
		tree.Changed, err = r.ChangedFiles(ctx, tree.Since, tree.Commit)
	}
	if err == nil && branch != nil {
		branch.Ahead = tree.Changed
		if tree.Base != "" {
			branch.Ahead, err = r.ChangedFiles(ctx, tree.Base, tree.Commit)
		}
		branch.Ahead = branch.Ahead[:min(len(branch.Ahead), mostFiles)]
	}
	if err == nil && tree.Since != "" {
		branch.Commits, err = r.NewestCommits(ctx, tree.Commit, mostCommits)
	}
	*tree = tree.WithAtMostFiles(mostFiles)
	if err != nil {
		tree.Unknown, by.BranchState = describeGitError(err, LongPatience), nil
	}
}

// addUncommittedFiles adds what a look saw to a tree. It waits for the look, but at most for the given time. After that
// it uses an earlier look at the same commit. The field Unknown says why the files are unknown.
func (f *Invoker) addUncommittedFiles(ctx context.Context, tree *schemas.Tree, look *git.Look, wait time.Duration) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	switch {
	case tree.Unknown != "":
		return
	case look == nil:
		tree.Unknown = schemas.NotLookedYet
		return
	case !look.Wait(limited):
		if look = f.looks.Last(tree.Commit, staleTime); look == nil || wait >= LongPatience {
			tree.Unknown = describeGitError(context.DeadlineExceeded, wait)
			return
		}
	}
	noteLook(tree, look)
}

// noteLook adds what an ended look saw to a tree.
func noteLook(tree *schemas.Tree, look *git.Look) {
	switch {
	case look.Err != nil:
		tree.Unknown = describeGitError(look.Err, git.LookTime)
	case look.Commit != tree.Commit:
		tree.Unknown = "HEAD changed while git looked"
	default:
		began := look.Began.UTC().Truncate(time.Millisecond)
		tree.Uncommitted, tree.SeenAt, tree.Unknown = slices.Clone(look.Uncommitted), &began, ""
		*tree = tree.WithAtMostFiles(mostFiles)
	}
}

func describeGitError(err error, limit time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("git took longer than %v", limit)
	}
	return schemas.Clip(err.Error(), 200)
}

// mostFiles limits the files of each kind in a tree.
const mostFiles = 200

// mostCommits limits the commits of a tree by which the mailbox recognises the work of other agents.
const mostCommits = 100

// locateClaim tells the mailbox facts about the working tree of a claim that were not known when its call began. HEAD
// may have changed while the call waited for work: locateClaim tells another HEAD before it returns. The uncommitted
// files it tells when a look has ended, and only if the claim did not tell the same.
func (f *Invoker) locateClaim(ctx context.Context, c tools.Call, out json.RawMessage) {
	var claim schemas.ClaimOut
	told := c.Caller.Tree
	if told == nil || json.Unmarshal(out, &claim) != nil || claim.HandoffID == 0 {
		return
	}
	locate := func(ctx context.Context) {
		c.ID, c.Tool = "", "claim_locate"
		_, _ = tools.InvokeTyped[schemas.LocateOut](ctx, f.Invoker, c, schemas.LocateIn{HandoffID: claim.HandoffID.String(), Token: claim.Token})
	}
	tree, repository := f.workingTree()
	if tree == nil {
		return
	}
	if c.Caller.Tree = tree; tree.Commit != told.Commit || tree.Branch != told.Branch {
		c.Caller.BranchState = &schemas.BranchState{Repository: repository.Common}
		f.addCommitFacts(ctx, &c.Caller, repository)
		f.addUncommittedFiles(ctx, tree, f.findLook(tree.Commit, repository, f.Patience), f.Patience)
		tree.Since = told.Commit
		locate(ctx)
	} else {
		*tree = *told
	}
	if f.Patience > 0 { // the process may end with this call
		return
	}
	began := time.Now()
	go func() { //nolint:gosec // it works after the end of the call
		if tree.SeenAt != nil {
			time.Sleep(restTime)
		}
		look := f.looks.Last(tree.Commit, time.Since(began))
		if look == nil {
			look = f.looks.Next(repository)
		}
		look.Wait(context.Background())
		later := *tree
		noteLook(&later, look)
		if later.Unknown == "" && (tree.SeenAt == nil || !slices.Equal(tree.Uncommitted, later.Uncommitted)) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), git.LookTime)
			defer cancel()
			c.Caller.Tree = &later
			locate(ctx)
		}
	}()
}

// treeTools are the tools whose calls get the working tree.
var treeTools = []string{schemas.SendIn{}.Tool(), schemas.ClaimIn{}.Tool(), schemas.UpdateIn{}.Tool(), schemas.CompleteIn{}.Tool()}
