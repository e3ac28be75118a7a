package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestTreeWithAtMostFiles_CountsOmittedFiles(t *testing.T) {
	whole := schemas.Tree{Changed: []string{"a", "b", "c"}, Uncommitted: []string{"d"}, More: 5}
	require.Equal(t, schemas.Tree{Changed: []string{"a"}, Uncommitted: []string{"d"}, More: 7}, whole.WithAtMostFiles(1))
	require.Equal(t, whole, whole.WithAtMostFiles(3))
}
