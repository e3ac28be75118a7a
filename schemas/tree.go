package schemas

import (
	"cmp"
	"strings"
)

// Tree is a git working tree as the process next to it found it; agents cannot set it. Calls over HTTP have none.
type Tree struct {
	Path   string `json:"path,omitempty"`
	Branch string `json:"branch,omitempty"` // empty if HEAD is detached
	Commit string `json:"commit,omitempty"` // empty before the first one
	Base   string `json:"base,omitempty"`   // commit at which the branch left its target branch; empty if unknown

	// Of a completion: changes of the tree since the claim.
	Since   string   `json:"since,omitempty"`   // the commit at the claim
	Changed []string `json:"changed,omitempty"` // files that differ between the two commits

	Uncommitted []string `json:"uncommitted,omitempty"` // files with changes that are in no commit
	More        int      `json:"more,omitempty"`        // files left out of both lists
	Unknown     string   `json:"unknown,omitempty"`     // why files and base are unknown
}

// Truncated returns the tree with at most n files in each list. More counts the others.
func (t Tree) Truncated(n int) Tree {
	changed, uncommitted := min(n, len(t.Changed)), min(n, len(t.Uncommitted))
	t.More += len(t.Changed) - changed + len(t.Uncommitted) - uncommitted
	t.Changed, t.Uncommitted = t.Changed[:changed], t.Uncommitted[:uncommitted]
	return t
}

// Summary returns the part of a tree that is stored if no result is compared with it: 20 files that are in no commit.
// Nil stays nil.
func (t *Tree) Summary() *Tree {
	if t == nil {
		return nil
	}
	kept := t.Truncated(20)
	kept.Since, kept.Changed = "", nil
	return &kept
}

// String returns branch and commit, and "dirty" if a change is in no commit. It is empty before the first commit.
func (t Tree) String() string {
	if t.Commit == "" {
		return ""
	}
	text := cmp.Or(Visible(t.Branch), "HEAD") + "@" + ShortCommit(t.Commit)
	if len(t.Uncommitted) > 0 {
		text += ", dirty"
	}
	return text
}

// ShortCommit shortens the id of a commit for people and models.
func ShortCommit(id string) string { return id[:min(len(id), 10)] }

// IsCommit tells whether a text is the id of a commit, or the beginning of one.
func IsCommit(said string) bool {
	return len(said) >= 7 && strings.Trim(said, "0123456789abcdef") == ""
}

// Touched holds facts that a [Tree] lacks. They are compared with the trees of other holders at the same time.
type Touched struct {
	Repository string   `json:"repository"`        // the git directory that its working trees share
	Ahead      []string `json:"ahead,omitempty"`   // files that differ between HEAD and the base
	Commits    []string `json:"commits,omitempty"` // the newest commits of HEAD
}
