//go:build unix

package setup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/process/processtest"
)

// A client's program may be a script that starts another, which holds the output.
func TestAClientsCommandThatIsCutOffEndsWithAllItStarted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	child := processtest.NewChild(t, cancel)
	w := newWorld(t)
	w.standIn("claude", child.Start()+"wait")
	claude := known(t, "claude-code")
	path := w.servers(claude)
	w.write(path, mine, 0o600)
	_, err := w.Apply(ctx, of(t, w.Plan(claude, w.desired), path))
	require.ErrorContains(t, err, "it was interrupted")
	child.RequireEnd(t)
}
