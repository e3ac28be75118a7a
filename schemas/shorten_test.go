package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestShorten_CutsAfterSentenceOrWord(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"Two things are missing.", 40, "Two things are missing."},
		{"Two things are missing. Parse accepts a level that does not exist.", 40, "Two things are missing. …"},
		{"Parse accepts a level that does not exist", 20, "Parse accepts a …"},
		{"No. Parse accepts a level that does not exist", 20, "No. Parse accepts …"},
		{"Version 2.3.1 of the parser accepts a level", 16, "Version 2.3.1 …"},
		{"Donaudampfschiff", 8, "Donau …"},
	} {
		require.Equal(t, c.want, schemas.Shorten(c.text, c.limit))
	}
}
