package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

func TestEscapedJSON_KeepsMeaning(t *testing.T) {
	raw, err := json.Marshal(map[string]string{"title": commandtest.HostileText})
	require.NoError(t, err)
	shown := cli.EscapedJSON(raw)
	require.Equal(t, shown, schemas.EscapeHidden(shown))
	require.JSONEq(t, string(raw), shown)
	require.Contains(t, shown, "wäre 東京 🎉")
	require.Equal(t, "\"\ufffd\"", cli.EscapedJSON(json.RawMessage("\"\x9b\"")))
}
