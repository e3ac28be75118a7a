package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestParseAgent_RefusesLookalikesOfReservedNames(t *testing.T) {
	for _, name := range []string{"Human", "HUMAN", "hurnan", "hum4n", "human.", "_human", "System", "sys-tem", "5ystem"} {
		_, err := schemas.ParseAgent("agent", name)
		require.ErrorContains(t, err, "can be taken for", name)
	}
	for _, name := range []string{"human", "system", "humans", "human-2", "claude-code"} {
		_, err := schemas.ParseAgent("agent", name)
		require.NoError(t, err, name)
	}
}
