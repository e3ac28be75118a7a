package schemas

import "strings"

// Tree is a git working tree as the process beside it found it: no agent says it. Calls over HTTP have none.
type Tree struct {
	Path   string `json:"path,omitempty"`
	Branch string `json:"branch,omitempty"` // empty where HEAD is detached
	Commit string `json:"commit,omitempty"` // empty before the first one

	// Of a completion: what became of the tree since the claim.
	Since       string   `json:"since,omitempty"`       // the commit at the claim
	Changed     []string `json:"changed,omitempty"`     // files in which the two commits differ
	Uncommitted []string `json:"uncommitted,omitempty"` // files with changes that are in no commit
	More        int      `json:"more,omitempty"`        // files left out of both lists
	Unknown     string   `json:"unknown,omitempty"`     // why nobody knows what changed
}

// First is the tree with so many files of each list at most. More counts the others.
func (t Tree) First(n int) Tree {
	changed, uncommitted := min(n, len(t.Changed)), min(n, len(t.Uncommitted))
	t.More += len(t.Changed) - changed + len(t.Uncommitted) - uncommitted
	t.Changed, t.Uncommitted = t.Changed[:changed], t.Uncommitted[:uncommitted]
	return t
}

// ShortCommit is the id of a commit as people and models read it.
func ShortCommit(id string) string { return id[:min(len(id), 10)] }

// IsCommit tells whether a text is the id of a commit, or the beginning of one.
func IsCommit(said string) bool {
	return len(said) >= 7 && strings.Trim(said, "0123456789abcdef") == ""
}
