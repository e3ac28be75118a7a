package respell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
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

func TestNormalise_ErrorForActionOfOtherToolAdvisesThatTool(t *testing.T) {
	for action, tool := range map[string]string{
		"complete": "complete_handoff", "Reject": "fail_handoff", "claim": "claim_handoff", "wait": "get_handoff",
	} {
		_, err := respell.Normalise("update_handoff", map[string]any{"handoff_id": "ho_3", "action": action})
		e := schemas.AsError(err)
		require.Equal(t, "action", e.Field)
		require.Equal(t, tool, e.Next[0].Tool)
		require.Contains(t, string(e.Next[0].Args), "ho_3")
	}
}
