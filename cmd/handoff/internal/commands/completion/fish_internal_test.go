package completion

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// If cobra's script changes, check again whether it runs the typed text.
func TestFixFishScript_RefusesUnknownScript(t *testing.T) {
	var script strings.Builder
	require.NoError(t, (&cobra.Command{Use: "handoff"}).GenFishCompletion(&script, true))
	mended, err := fixFishScript(script.String())
	require.NoError(t, err)
	require.NotContains(t, mended, "__complete $args")
	for _, other := range []string{
		"", mended,
		strings.ReplaceAll(script.String(), "$args[2..-1]", "$words"),
		script.String() + "eval $args\n",
	} {
		_, err := fixFishScript(other)
		require.Error(t, err)
	}
}
