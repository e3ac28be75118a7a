package agentsfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/agentsfile"
)

func TestParse_ReadsExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "examples", "rules", "agents.yaml"))
	require.NoError(t, err)
	said, problems := agentsfile.Parse(text, true)
	require.Empty(t, problems)
	require.Len(t, said.Agents, 4)
	require.Len(t, said.Routes, 5)
	require.Equal(t, "role:testing", said.Routes[0].Send[0].To)
	require.Len(t, said.Plans, 4)
	require.Len(t, said.Plans[2].Steps[1], 2)
}
