package respell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/respell"
)

func TestFieldPaths_ListsPathsOfMisplacedField(t *testing.T) {
	for _, c := range []struct {
		tool, name string
		want       []string
	}{
		{"send_handoff", "note", []string{"context.files[].note"}},
		{"send_handoff", "depends_on", []string{"options.after"}},
		{"complete_handoff", "files_modified", []string{"deliverables[].files_modified"}},
		{"complete_handoff", "pr_url", []string{"results.pr_url"}},
		{"send_handoff", "colour", nil},
		{"audit_verify", "note", nil},
	} {
		require.Equal(t, c.want, respell.FieldPaths(c.tool, c.name), c.name)
	}
}
