package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestVisibleShowsWhatWouldNotBeSeen(t *testing.T) {
	for given, shown := range map[string]string{
		"plain \u00fc\u4e2d \u2764\ufe0f": "plain \u00fc\u4e2d \u2764\ufe0f", // an emoji stays one
		"a\ufe0f":                         `a\ufe0f`,
		"\u2764\ufe0f\ufe0f":              "\u2764\ufe0f" + `\ufe0f`,
		"x\U000e0100\U000e0101":           `x\U000e0100\U000e0101`,
		"\u4e2d\U000e0100":                "\u4e2d" + `\U000e0100`,
		"a\u200bb\u202ec":                 `a\u200bb\u202ec`,
		"tag \U000e0041":                  `tag \U000e0041`,
		"\x1b[2J\x9b":                     `\x1b[2J\x9b`,
		"two\nlines\tand a tab":           "two\nlines\tand a tab",
	} {
		require.Equal(t, shown, schemas.Visible(given))
		require.Equal(t, shown, schemas.Visible(schemas.Visible(given)))
	}
}
