package closest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/closest"
)

func TestLikelyNames_ReturnsClosestFirst(t *testing.T) {
	known := []string{"architect", "auto-code", "qa", "ciso", "claude-code", "claude-code-2", "human"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"qaa", []string{"qa"}},
		{"QA", []string{"qa"}},
		{"aq", []string{"qa"}},
		{"architcet", []string{"architect"}},
		{"autocode", []string{"auto-code"}},
		{"claude", []string{"claude-code", "claude-code-2"}},
		{"claude-code-3", []string{"claude-code-2", "claude-code"}},
		{"xy", []string{}},
		{"", []string{}},
		{"somebody-else-entirely", []string{}},
	} {
		require.Equal(t, c.want, closest.LikelyNames(c.name, known), c.name)
	}
}

func TestSortByLikelihood_KeepsOrderAtEqualDistance(t *testing.T) {
	require.Equal(t, []string{"send", "get", "list"}, closest.SortByLikelihood("sned", []string{"list", "get", "send"}))
	require.Equal(t, []string{"b", "a"}, closest.SortByLikelihood("x", []string{"b", "a"}))
}
