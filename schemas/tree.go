package schemas

import (
	"cmp"
	"strings"
	"time"
)

// Tree is the state of a git working tree, as the process that runs in it found it. Agents cannot set it. A call over
// HTTP has no tree.
type Tree struct {
	Path   string `json:"path,omitempty"`
	Branch string `json:"branch,omitempty"` // empty if HEAD is detached
	Commit string `json:"commit,omitempty"` // empty before the first one
	Base   string `json:"base,omitempty"`   // commit at which the branch left its target branch; empty if unknown

	// Of a completion: changes of the tree since the claim.
	Since   string   `json:"since,omitempty"`   // the commit at the claim
	Changed []string `json:"changed,omitempty"` // files that differ between the two commits

	Uncommitted []string   `json:"uncommitted,omitempty"` // files with changes that are in no commit
	SeenAt      *time.Time `json:"seen_at,omitempty"`     // when git began to look for them
	More        int        `json:"more,omitempty"`        // files left out of both lists
	Unknown     string     `json:"unknown,omitempty"`     // why uncommitted files, or more facts, are unknown
}

// NotLookedYet is [Tree.Unknown] of a claim that did not wait for git. A later call may add the files, see [LocateIn].
const NotLookedYet = "not looked yet"

// LocateIn holds the arguments of the administrative tool claim_locate. With it the process of a holder adds facts about
// its working tree, the tree of the caller, that it learned after the claim.
type LocateIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"`
	Token     string `json:"claim_token,omitempty"`
}

// LocateOut is the result of claim_locate.
type LocateOut struct{}

// WithAtMostFiles returns the tree with at most n files in each of its two lists. More counts the files that it left
// out.
func (t Tree) WithAtMostFiles(n int) Tree {
	changed, uncommitted := min(n, len(t.Changed)), min(n, len(t.Uncommitted))
	t.More += len(t.Changed) - changed + len(t.Uncommitted) - uncommitted
	t.Changed, t.Uncommitted = t.Changed[:changed], t.Uncommitted[:uncommitted]
	return t
}

// Summary returns the part of a tree that is stored with actions other than a completion: its path, branch and commits,
// and at most 20 files with uncommitted changes. It leaves out the changes since the claim, because no result is
// compared with them. It returns nil for nil.
func (t *Tree) Summary() *Tree {
	if t == nil {
		return nil
	}
	kept := t.WithAtMostFiles(20)
	kept.Since, kept.Changed = "", nil
	return &kept
}

// IsIn reports whether the tree is in a directory. It returns false for nil.
func (t *Tree) IsIn(path string) bool { return t != nil && t.Path == path }

// String returns branch and commit, and "dirty" if the tree has uncommitted changes. It returns "" for a tree without a
// first commit.
func (t Tree) String() string {
	if t.Commit == "" {
		return ""
	}
	text := cmp.Or(EscapeHidden(t.Branch), "HEAD") + "@" + ShortCommit(t.Commit)
	if len(t.Uncommitted) > 0 {
		text += ", dirty"
	}
	return text
}

// ShortCommit shortens the id of a commit for people and models.
func ShortCommit(id string) string { return id[:min(len(id), 10)] }

// IsCommitID reports whether a text is the id of a commit, or the first 7 or more digits of one.
func IsCommitID(said string) bool {
	return len(said) >= 7 && strings.Trim(said, "0123456789abcdef") == ""
}

// BranchState holds facts about a working tree that [Tree] does not have. The mailbox compares them with the trees of
// other holders, to find agents that work on the same files at the same time.
type BranchState struct {
	Repository string   `json:"repository"`        // the git directory that its working trees share
	Ahead      []string `json:"ahead,omitempty"`   // files that differ between HEAD and the base
	Commits    []string `json:"commits,omitempty"` // the newest commits of HEAD
}
