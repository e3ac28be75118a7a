package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// Text that is no UTF-8 is refused: replacing invalid bytes would change it.
func TestInput_RefusesInvalidUTF8(t *testing.T) {
	t.Parallel()
	d := commandtest.NewDesk(t)
	require.NoError(t, os.WriteFile(filepath.Join(d.State, "latin1.txt"), []byte("caf\xe9"), 0o600))
	for flag, said := range map[string]string{"--detail": "@latin1.txt", "--context": "@latin1.txt", "--file": "latin1.txt"} {
		code, _, errs := d.Run("dev", "send", "qa", "Read it", flag, said)
		require.Equal(t, 2, code)
		require.Contains(t, errs, "handoff: "+flag+": latin1.txt is not UTF-8\n")
	}
	require.Empty(t, d.Must("dev", "list"))
}
