package contract_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

func TestUnconfirmedStatements_ListFilesWithoutChange(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
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
		"an unchanged file":                {func(t *schemas.Tree) { t.Uncommitted = nil }, []string{"x.go"}, nil, []string{"git sees no change since the claim in x.go"}},
		"another commit":                   {func(t *schemas.Tree) { t.Uncommitted = nil }, nil, map[string]any{"commit": "ccccccc"}, []string{"results.commit is ccccccc, and the working tree is at bbbbbbbbbb"}},
		"a commit in words":                {func(t *schemas.Tree) { t.Uncommitted = nil }, nil, map[string]any{"commit": "the last"}, nil},
		"more files than are kept":         {func(t *schemas.Tree) { t.Uncommitted, t.More = nil, 1 }, []string{"x.go"}, nil, nil},
		"unknown changes":                  {func(t *schemas.Tree) { t.Unknown = "no git" }, []string{"x.go"}, nil, nil},
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
			require.Equal(t, c.want, contract.UnconfirmedStatements(done))
		})
	}
	require.Empty(t, contract.UnconfirmedStatements(schemas.Completion{}))
}

func TestCompare_PrefersObservationsToHoldersAnswers(t *testing.T) {
	asked := &schemas.Expectations{SuccessCriteria: []string{"Login works"}, Checks: []string{"test"}}
	seen := func(passed bool, names ...string) *schemas.CheckReport {
		s := &schemas.CheckReport{Unobserved: map[string]string{"test": "the list is not allowed"}}
		for _, name := range names {
			s.Observed = append(s.Observed, schemas.Observation{Check: name, Passed: passed, Commit: "1234567890abcdef", Why: "it ended with 1", Tail: "FAIL\x1b"})
		}
		return s
	}
	says := func(met ...bool) *schemas.Verification {
		v := &schemas.Verification{}
		for i, m := range met {
			v.Criteria = append(v.Criteria, schemas.Criterion{Criterion: strconv.Itoa(i + 1), Met: m})
		}
		return v
	}
	uncommitted := seen(false, "test")
	uncommitted.Uncommitted = []string{"a.go"}
	for _, c := range []struct {
		name    string
		said    *schemas.Verification
		partial bool
		seen    *schemas.CheckReport
		met     []bool
		refused string
	}{
		{"not observed, and the holder says met", says(true, true), false, nil, []bool{true, false}, ""},
		{"not observed, and the holder says nothing", says(true), false, nil, nil, "not observed: no checkout"},
		{"not observed, completed as partial", says(true), true, nil, []bool{true, false}, ""},
		{"not observed for a reason", says(true), false, seen(true), nil, "the list is not allowed"},
		{"passed", says(true), false, seen(true, "test"), []bool{true, true}, ""},
		{"passed, and the holder says not met", says(true, false), false, seen(true, "test"), []bool{true, false}, ""},
		{"failed", says(true), false, seen(false, "test"), nil, "2: observed: the check test does not pass: it ended with 1, at 1234567890\nFAIL\\x1b"},
		{"failed, with uncommitted changes", says(true), false, uncommitted, nil, "In no commit, so not looked at: a.go."},
		{"failed, and the holder says met", says(true, true), false, seen(false, "test"), nil, "does not pass"},
		{"failed, and the holder says not met", says(true, false), false, seen(false, "test"), []bool{true, false}, ""},
		{"failed, completed as partial", says(true, true), true, seen(false, "test"), []bool{true, false}, ""},
		{"required of all work", says(true), false, seen(true, "test", "lint"), []bool{true, true, true}, ""},
		{"required of all work, not observed", says(true, true), false, &schemas.CheckReport{Unobserved: map[string]string{"lint": "not allowed"}}, nil, "3: The check lint passes (not observed: not allowed)"},
		{"required of all work, failed", says(true, false), false, seen(false, "test", "lint"), nil, "3: observed: the check lint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := contract.Compare(asked, c.said, c.partial, c.seen)
			if c.refused != "" {
				require.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.met, schemas.Map(got, schemas.AnsweredCriterion.IsMet))
			done := schemas.Completion{Criteria: got}
			require.Equal(t, "claimed", done.EvidenceText(got[0]))
			if o := c.seen.Observation("test"); o != nil {
				require.Equal(t, o.String(), done.EvidenceText(got[1]))
			}
		})
	}
	loud := seen(false, "test", "lint")
	for i := range loud.Observed {
		loud.Observed[i].Tail = strings.Repeat("é", 2<<10)
	}
	_, err := contract.Compare(asked, says(true), false, loud)
	require.Less(t, len(err.Error()), 5<<10, "a model reads it")
}
