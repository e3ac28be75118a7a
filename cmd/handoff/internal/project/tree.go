// Package project adds to calls what only the process beside a project can know: its files, and its git working tree.
package project

import (
	"context"
	"encoding/json"
	"slices"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools"
)

// treeOf is the git working tree around a directory, with branch and commit, and its repository; nil where there is none.
func treeOf(dir string) (*schemas.Tree, git.Repository) {
	r, ok := git.Find(dir, func(string) bool { return false })
	if dir == "" || !ok || r.Root == "" {
		return nil, r
	}
	branch, commit := r.Head()
	return &schemas.Tree{Path: r.Root, Branch: branch, Commit: commit}, r
}

// located tells of which calls it matters in which working tree they are made.
var located = []string{schemas.SendIn{}.Tool(), schemas.ClaimIn{}.Tool(), schemas.CompleteIn{}.Tool()}

// beside is the working tree in which a call is made; of a completion also what changed there since the claim. It is nil
// for other calls, and where there is no git.
func (f Files) beside(ctx context.Context, c tools.Call) *schemas.Tree {
	if !slices.Contains(located, c.Tool) {
		return nil
	}
	tree, repository := treeOf(f.Dir)
	if tree == nil || c.Tool != (schemas.CompleteIn{}).Tool() {
		return tree
	}
	claimed := f.claimedIn(ctx, c)
	if claimed == nil {
		return tree
	}
	var err error
	tree.Since = claimed.Commit
	if tree.Changed, tree.Uncommitted, err = repository.Changes(ctx, tree.Since); err != nil {
		tree.Unknown = schemas.Clip(err.Error(), 200)
	}
	kept := tree.First(mostFiles)
	return &kept
}

// mostFiles is how many files of each kind are kept.
const mostFiles = 200

// claimedIn is where the handoff was claimed that a call completes, nil where nobody knows: then the mailbox says what is
// wrong with the call.
func (f Files) claimedIn(ctx context.Context, c tools.Call) *schemas.Tree {
	tool, err := tools.Find(c.Tool)
	if err != nil {
		return nil
	}
	args, err := tool.Canonical(c.Args)
	var in schemas.CompleteIn
	if err != nil || json.Unmarshal(args, &in) != nil {
		return nil
	}
	look := c
	look.ID, look.Tool, look.Caller.Scope = "", schemas.GetIn{}.Tool(), schemas.ScopeRead
	if look.Args, err = schemas.Encode(schemas.GetIn{HandoffID: in.HandoffID, View: "outcome"}); err != nil {
		return nil
	}
	raw, err := f.Invoker.Invoke(ctx, look)
	var got schemas.GetOut
	if err != nil || json.Unmarshal(raw, &got) != nil || got.Standing == nil {
		return nil
	}
	return got.Standing.ClaimedIn
}
