package contract_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

func TestUnseenIsWhatTheWorkingTreeDoesNotShow(t *testing.T) {
	saw := schemas.Tree{
		Path: "/shop", Since: "aaaaaaaaaa11", Commit: "bbbbbbbbbb22", Changed: []string{"store/a.go"}, Uncommitted: []string{"b.go", "new/"},
	}
	for name, c := range map[string]struct {
		tree    func(*schemas.Tree)
		files   []string
		results map[string]any
		want    []string
	}{
		"all is there": {
			func(t *schemas.Tree) { t.Uncommitted = nil },
			[]string{"store/a.go", "./store/a.go", "/shop/store/a.go"},
			map[string]any{"commit": "bbbbbbb"},
			nil,
		},
		"nothing is committed":             {func(t *schemas.Tree) { t.Changed = nil }, []string{"b.go", "new/c.go"}, nil, nil},
		"some is not committed":            {nil, nil, nil, []string{"changes in b.go, new/ are in no commit"}},
		"a file that nobody touched":       {func(t *schemas.Tree) { t.Uncommitted = nil }, []string{"x.go"}, nil, []string{"git sees no change since the claim in x.go"}},
		"another commit":                   {func(t *schemas.Tree) { t.Uncommitted = nil }, nil, map[string]any{"commit": "ccccccc"}, []string{"results.commit is ccccccc, and the working tree is at bbbbbbbbbb"}},
		"a commit in words":                {func(t *schemas.Tree) { t.Uncommitted = nil }, nil, map[string]any{"commit": "the last"}, nil},
		"more files than are kept":         {func(t *schemas.Tree) { t.Uncommitted, t.More = nil, 1 }, []string{"x.go"}, nil, nil},
		"nobody knows what changed":        {func(t *schemas.Tree) { t.Unknown = "no git" }, []string{"x.go"}, nil, nil},
		"the claim was made elsewhere":     {func(t *schemas.Tree) { t.Since = "" }, []string{"x.go"}, nil, nil},
		"more than three are only counted": {func(t *schemas.Tree) { t.Uncommitted = nil }, []string{"1", "2", "3", "4", "5"}, nil, []string{"git sees no change since the claim in 1, 2, 3 and 2 more"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := saw
			if c.tree != nil {
				c.tree(&tree)
			}
			done := schemas.Completion{Tree: &tree}
			done.Results, done.Deliverables = c.results, []schemas.Delivered{{FilesModified: c.files}}
			require.Equal(t, c.want, contract.Unseen(done))
		})
	}
	require.Empty(t, contract.Unseen(schemas.Completion{}))
}
