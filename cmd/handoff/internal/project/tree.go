// Package project adds to calls the facts that only a process on the project's machine knows: the content of the
// project's files, and the git working tree.
//
// The owner of the store may run on another machine, so it cannot read the caller's files. Therefore this package reads
// a file whose path an agent names. It reads no file outside of the project: [os.Root] follows no link out.
//
// The git working tree is a field of the caller, so that no agent can forge it in its arguments. Branch and commit are
// read from files. The program git runs only for a send, a claim, a report and a completion, with a time limit of 50 ms
// (5 s for a completion and in a command), because a call must not wait for a slow repository.
package project

import (
	"context"
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
	}
	r, ok := f.repository, f.inside
	f.mu.Unlock()
	if f.Dir == "" || !ok || r.Root == "" {
		return nil, r
	}
	branch, commit := r.Head()
	return &schemas.Tree{Path: r.Root, Branch: branch, Commit: commit}, r
}

// usualTime is the usual time limit of git for a call. Facts that take longer are left out.
const usualTime = 50 * time.Millisecond

// LongPatience is the time limit of git for a completion, and for each call of a command, because no later call of the
// same process could add what git finds.
const LongPatience = 5 * time.Second

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
	about, ok := workArgumentsOf(*c)
	if !ok {
		return
	}
	c.Caller.Tree = tree
	most := max(usualTime, f.Patience)
	switch c.Tool {
	case schemas.SendIn{}.Tool():
		f.reuseRecentFacts(tree, func() { fillGitStatus(ctx, most, tree, repository, nil) })
		return
	case schemas.CompleteIn{}.Tool():
		most = max(most, LongPatience)
		fallthrough
	case schemas.UpdateIn{}.Tool():
		if got := f.readHandoff(ctx, *c, about.HandoffID, "outcome"); got.Standing != nil && got.Standing.ClaimedIn != nil {
			tree.Since = got.Standing.ClaimedIn.Commit
		}
	}
	c.Caller.BranchState = &schemas.BranchState{Repository: repository.Common}
	fillGitStatus(ctx, most, tree, repository, c.Caller.BranchState)
}

// fillGitStatus asks git for the uncommitted files of a tree. Unless touched is nil, it also asks for the changes of
// the branch. If git fails or takes longer than `most`, fillGitStatus sets only the field Unknown.
func fillGitStatus(ctx context.Context, most time.Duration, tree *schemas.Tree, r git.Repository, touched *schemas.BranchState) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	was := *tree
	base, uncommitted, err := r.Status(limited)
	tree.Base, tree.Uncommitted = base, uncommitted
	if err == nil && tree.Since != "" {
		tree.Changed, err = r.ChangedFiles(limited, tree.Since, tree.Commit)
	}
	if err == nil && touched != nil {
		touched.Ahead = tree.Changed
		if base != "" {
			touched.Ahead, err = r.ChangedFiles(limited, base, tree.Commit)
		}
		touched.Ahead = touched.Ahead[:min(len(touched.Ahead), mostFiles)]
	}
	if err == nil && tree.Since != "" {
		touched.Commits, err = r.NewestCommits(limited, mostCommits)
	}
	if err != nil {
		if *tree, tree.Unknown = was, schemas.Clip(err.Error(), 200); limited.Err() != nil && ctx.Err() == nil {
			tree.Unknown = fmt.Sprintf("git took longer than %v", most)
		}
	}
	*tree = tree.WithAtMostFiles(mostFiles)
}

// Limits of a tree: files of each kind, and commits by which the mailbox recognises the work of other agents.
const (
	mostFiles   = 200
	mostCommits = 100
)

// reuseRecentFacts fills in the facts of git for a send. If git answered for another send within the last two seconds,
// it reuses the answer. Otherwise it calls find, which asks git.
func (f *Invoker) reuseRecentFacts(tree *schemas.Tree, find func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.foundAt) < 2*time.Second && f.found.Path+f.found.Branch+f.found.Commit == tree.Path+tree.Branch+tree.Commit {
		*tree = f.found
		return
	}
	find()
	f.found, f.foundAt = *tree, time.Now()
}

// treeTools are the tools whose calls get the working tree.
var treeTools = []string{schemas.SendIn{}.Tool(), schemas.ClaimIn{}.Tool(), schemas.UpdateIn{}.Tool(), schemas.CompleteIn{}.Tool()}

// workArgumentsOf returns the arguments of a call about its handoff. Ok is false if the call gets no facts about the
// working tree.
func workArgumentsOf(c tools.Call) (about workArguments, ok bool) {
	about, err := tools.ArgumentsOf[workArguments](c)
	if err != nil || about.Type == schemas.TypeMessage {
		return about, false // the mailbox reports the error
	}
	return about, about.Action == "" || about.Action == schemas.ActProgress
}

// readHandoff reads a handoff for the caller, and marks no notice as read. The result is empty if the handoff cannot be
// read. Then the mailbox refuses the caller's own call, too.
func (f *Invoker) readHandoff(ctx context.Context, c tools.Call, id string, view schemas.View) (got schemas.GetOut) {
	c.ID, c.Tool, c.Caller.Scope, c.Caller.Tree = "", schemas.GetIn{}.Tool(), schemas.ScopeRead, nil
	got, _ = tools.InvokeTyped[schemas.GetOut](ctx, f.Invoker, c, schemas.GetIn{HandoffID: id, View: view, MaxTokens: 100_000})
	return got
}
