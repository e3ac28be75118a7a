package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestTreeWithAtMost_CountsRemovedFiles(t *testing.T) {
	whole := schemas.Tree{Changed: []string{"a", "b", "c"}, Uncommitted: []string{"d"}, More: 5}
	require.Equal(t, schemas.Tree{Changed: []string{"a"}, Uncommitted: []string{"d"}, More: 7}, whole.WithAtMost(1))
	require.Equal(t, whole, whole.WithAtMost(3))
}
