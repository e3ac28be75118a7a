package overlap_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/overlap"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestCommonFiles_ComparesNamesAndPatterns(t *testing.T) {
	for name, c := range map[string]struct {
		mine, other      store.TouchedFiles
		changing, naming []string
	}{
		"in commits or in none": {
			mine:     store.TouchedFiles{Repository: "r", Committed: []string{"a", "b"}, Loose: []string{"c", "a"}},
			other:    store.TouchedFiles{Repository: "r", Committed: []string{"c"}, Loose: []string{"a", "d"}},
			changing: []string{"a", "c"},
		},
		"in another repository": {
			mine:  store.TouchedFiles{Repository: "r", Committed: []string{"a"}, Named: []string{"a"}},
			other: store.TouchedFiles{Repository: "s", Committed: []string{"a"}, Named: []string{"a"}},
		},
		"as they are named": {
			mine:   store.TouchedFiles{Repository: "r", Committed: []string{"store/a.go", "x.go"}, Named: []string{"docs"}},
			other:  store.TouchedFiles{Named: []string{"**/*.go", "docs/a.md", "y.go"}},
			naming: []string{"docs/a.md", "store/a.go", "x.go"},
		},
		"below what is named": {
			mine:     store.TouchedFiles{Named: []string{"store/**/test?.go", "[", "bolt/*.go"}},
			other:    store.TouchedFiles{Repository: "r", Loose: []string{"store/test1.go", "store/a/b/test2.go", "store/test.go", "[", "bolt/x/a.go", "bolts/a.go"}},
			changing: []string{"[", "store/a/b/test2.go", "store/test1.go"},
		},
	} {
		changing, naming := overlap.CommonFiles(c.mine, c.other)
		require.ElementsMatch(t, c.changing, changing, name)
		require.ElementsMatch(t, c.naming, naming, name)
	}
}

func TestNamedFiles_ReturnsFilesBelowRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	h := schemas.Handoff{
		Context:      &schemas.Context{Files: []schemas.File{{Path: "./a.go"}, {Path: "/shop/b.go"}, {Path: "/etc/passwd"}, {Path: "../c.go"}, {Path: "**"}}},
		Expectations: &schemas.Expectations{Deliverables: []schemas.Deliverable{{Files: []string{"x/**/y/**/z", "a.go", "."}}}},
	}
	require.Equal(t, []string{"a.go", "b.go", "x/**/y"}, overlap.NamedFiles(h, "/shop"))
}
