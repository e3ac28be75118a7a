package schemas

import (
	"cmp"
	"strings"
)

// Tree is a git working tree as the process beside it found it: no agent says it. Calls over HTTP have none.
type Tree struct {
	Path   string `json:"path,omitempty"`
	Branch string `json:"branch,omitempty"` // empty where HEAD is detached
	Commit string `json:"commit,omitempty"` // empty before the first one
	Base   string `json:"base,omitempty"`   // where the branch left that into which it goes; empty where nothing tells

	// Of a completion: what became of the tree since the claim.
	Since   string   `json:"since,omitempty"`   // the commit at the claim
	Changed []string `json:"changed,omitempty"` // files in which the two commits differ

	Uncommitted []string `json:"uncommitted,omitempty"` // files with changes that are in no commit
	More        int      `json:"more,omitempty"`        // files left out of both lists
	Unknown     string   `json:"unknown,omitempty"`     // why nobody knows the files, and the base
}

// Truncated is the tree with so many files of each list at most. More counts the others.
func (t Tree) Truncated(n int) Tree {
	changed, uncommitted := min(n, len(t.Changed)), min(n, len(t.Uncommitted))
	t.More += len(t.Changed) - changed + len(t.Uncommitted) - uncommitted
	t.Changed, t.Uncommitted = t.Changed[:changed], t.Uncommitted[:uncommitted]
	return t
}

// Summary is what is kept of a tree where no result is compared with it: 20 of the files that are in no commit. Nil stays
// nil.
func (t *Tree) Summary() *Tree {
	if t == nil {
		return nil
	}
	kept := t.Truncated(20)
	kept.Since, kept.Changed = "", nil
	return &kept
}

// String is branch and commit, and whether something is in none; empty before the first commit.
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

// ShortCommit is the id of a commit as people and models read it.
func ShortCommit(id string) string { return id[:min(len(id), 10)] }

// IsCommit tells whether a text is the id of a commit, or the beginning of one.
func IsCommit(said string) bool {
	return len(said) >= 7 && strings.Trim(said, "0123456789abcdef") == ""
}

// Touched is what a [Tree] does not keep: what is compared with the trees of others who hold work at the same time.
type Touched struct {
	Repository string   `json:"repository"`        // the git directory that its working trees share
	Ahead      []string `json:"ahead,omitempty"`   // files in which HEAD differs from the base
	Commits    []string `json:"commits,omitempty"` // the newest that HEAD has
}
