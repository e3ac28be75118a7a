// Package project adds to calls what only the process beside a project can know: its files, and its git working tree.
//
// The owner of the store may be another process, and over HTTP another machine, so it cannot read the caller's files.
// A model names the path. What lies outside of the project is not read: [os.Root] follows no link out.
//
// What git sees is a field of the caller, which no argument of a call reaches. Branch and commit are read from files,
// because that costs nothing. The program git runs at a send, a claim, a report and a completion, and never when a
// process starts. At a send it has 50 ms, because a send that waits for it is worse than a send without it; a burst
// of sends asks it once in two seconds.
package project

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools"
)

// tree is the git working tree around the project, with branch and commit, and its repository; nil where there is none.
// Whether there is one is looked for once a second at most.
func (f *Files) tree() (*schemas.Tree, git.Repository) {
	f.mu.Lock()
	if time.Since(f.lookedAt) > time.Second {
		f.repository, f.inside = git.Find(f.Dir, func(string) bool { return false })
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

// How long git may take: what it finds is left out after that. Only a completion is worth waiting for.
const (
	usualTime    = 50 * time.Millisecond
	completeTime = 5 * time.Second
)

// named is what a call says of the work that it is about.
type named struct {
	HandoffID string         `json:"handoff_id"`
	Action    schemas.Action `json:"action"`
	Type      string         `json:"type"`
}

// beside adds to a call the working tree in which it is made, with what is in no commit there; to a claim, a report and
// a completion also what the branch changes; and to the last two what became of the tree since the claim. It adds
// nothing to other calls, and where there is no git.
func (f *Files) beside(ctx context.Context, c *tools.Call) {
	if !slices.Contains(placed, c.Tool) {
		return
	}
	tree, repository := f.tree()
	if tree == nil { // before the arguments are read
		return
	}
	about, ok := located(*c)
	if !ok {
		return
	}
	c.Caller.Tree = tree
	most := max(usualTime, f.Patience)
	switch c.Tool {
	case schemas.SendIn{}.Tool():
		f.lately(tree, func() { status(ctx, most, tree, repository, nil) })
		return
	case schemas.CompleteIn{}.Tool():
		most = max(most, completeTime)
		fallthrough
	case schemas.UpdateIn{}.Tool():
		if got := f.look(ctx, *c, about.HandoffID, "outcome"); got.Standing != nil && got.Standing.ClaimedIn != nil {
			tree.Since = got.Standing.ClaimedIn.Commit
		}
	}
	c.Caller.Touched = &schemas.Touched{Repository: repository.Common}
	status(ctx, most, tree, repository, c.Caller.Touched)
}

// status finds what git knows of a tree in so much time, and of what its branch changes unless that is nil. Of what it
// does not find in time nothing is told.
func status(ctx context.Context, most time.Duration, tree *schemas.Tree, r git.Repository, touched *schemas.Touched) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	was := *tree
	base, uncommitted, err := r.Status(limited)
	tree.Base, tree.Uncommitted = base, uncommitted
	if err == nil && tree.Since != "" {
		tree.Changed, err = r.Changed(limited, tree.Since, tree.Commit)
	}
	if err == nil && touched != nil {
		touched.Ahead = tree.Changed
		if base != "" {
			touched.Ahead, err = r.Changed(limited, base, tree.Commit)
		}
		touched.Ahead = touched.Ahead[:min(len(touched.Ahead), mostFiles)]
	}
	if err == nil && tree.Since != "" {
		touched.Commits, err = r.Newest(limited, mostCommits)
	}
	if err != nil {
		if *tree, tree.Unknown = was, schemas.Clip(err.Error(), 200); limited.Err() != nil && ctx.Err() == nil {
			tree.Unknown = fmt.Sprintf("git took longer than %v", most)
		}
	}
	*tree = tree.Truncated(mostFiles)
}

// How many files of each kind are kept, and by how many commits a tree knows the work of others.
const (
	mostFiles   = 200
	mostCommits = 100
)

// lately finds what git knows of a tree, unless that was found for another send within the last two seconds.
func (f *Files) lately(tree *schemas.Tree, find func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.foundAt) < 2*time.Second && f.found.Path+f.found.Branch+f.found.Commit == tree.Path+tree.Branch+tree.Commit {
		*tree = f.found
		return
	}
	find()
	f.found, f.foundAt = *tree, time.Now()
}

// placed are the tools for whose calls it matters in which working tree they are made.
var placed = []string{schemas.SendIn{}.Tool(), schemas.ClaimIn{}.Tool(), schemas.UpdateIn{}.Tool(), schemas.CompleteIn{}.Tool()}

// located tells of which of these calls it matters, and what they are about.
func located(c tools.Call) (about named, ok bool) {
	tool, err := tools.Find(c.Tool)
	if err != nil {
		return about, false
	}
	args, err := tool.Canonical(c.Args)
	if err != nil || json.Unmarshal(args, &about) != nil || about.Type == schemas.TypeMessage {
		return about, false // the mailbox says what is wrong
	}
	return about, about.Action == "" || about.Action == schemas.ActProgress
}

// look reads a handoff for whoever calls, without what only programs want to know of that. It is empty where it cannot
// be read: then the mailbox says what is wrong with the call.
func (f *Files) look(ctx context.Context, c tools.Call, id string, view schemas.View) (got schemas.GetOut) {
	c.ID, c.Tool, c.Caller.Scope, c.Caller.Tree = "", schemas.GetIn{}.Tool(), schemas.ScopeRead, nil
	got, _ = tools.Ask[schemas.GetOut](ctx, f.Invoker, c, schemas.GetIn{HandoffID: id, View: view, MaxTokens: 100_000})
	return got
}
