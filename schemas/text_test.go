package schemas_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestEscapeHidden_EscapesHiddenCharacters(t *testing.T) {
	for given, shown := range map[string]string{
		"plain \u00fc\u4e2d \u2764\ufe0f": "plain \u00fc\u4e2d \u2764\ufe0f", // an emoji stays one
		"a\ufe0f":                         `a\ufe0f`,
		"\u2764\ufe0f\ufe0f":              "\u2764\ufe0f" + `\ufe0f`,
		"x\U000e0100\U000e0101":           `x\U000e0100\U000e0101`,
		"\u4e2d\U000e0100":                "\u4e2d" + `\U000e0100`,
		"a\u200bb\u202ec":                 `a\u200bb\u202ec`,
		"tag \U000e0041":                  `tag \U000e0041`,
		"icon \ue000 \U00100000":          `icon \ue000 \U00100000`,
		"blank \u2800\u3164\u115f\ufe01":  `blank \u2800\u3164\u115f\ufe01`,
		"\x1b[2J\u009b":                   `\x1b[2J\u009b`,
		"two\nlines\tand a tab":           "two\nlines\tand a tab",
	} {
		require.Equal(t, shown, schemas.EscapeHidden(given))

		encoded, err := json.Marshal([]string{given, "\U000e0041"})
		require.NoError(t, err)
		var decoded []string
		require.NoError(t, json.Unmarshal(schemas.EscapeHiddenJSON(encoded), &decoded))
		require.Equal(t, []string{shown, `\U000e0041`}, decoded)
		require.Equal(t, shown, schemas.EscapeHidden(schemas.EscapeHidden(given)))
	}
}

func TestEscapeHiddenJSON_ReadsEscapesOfOtherEncoders(t *testing.T) {
	given := `{"a": "\u001B[2J \uDB40\uDC41 \r \r\n \u00e9"}`
	shown := json.RawMessage(`{"a": "\\x1b[2J \\U000e0041 \\r \r\n \u00e9"}`)
	require.Equal(t, shown, schemas.EscapeHiddenJSON(json.RawMessage(given)))
	plain := json.RawMessage(`{"a": "plain"}`)
	require.Equal(t, plain, schemas.EscapeHiddenJSON(plain))
}
