package respell

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// The tests here read the alias tables directly. Tests through the exported functions would not notice a misspelled
// path in a row.

var argumentTypes = map[string]any{
	"send_handoff": schemas.SendIn{}, "complete_handoff": schemas.CompleteIn{}, "fail_handoff": schemas.FailIn{},
	"update_handoff": schemas.UpdateIn{}, "claim_handoff": schemas.ClaimIn{}, "get_handoff": schemas.GetIn{},
	"list_handoffs": schemas.ListIn{}, "handoff_history": schemas.HistoryIn{}, "register_agent": schemas.RegisterIn{},
	"list_agents": schemas.AgentsIn{},
}

func TestAliasRows_LeadToArgumentsOfTool(t *testing.T) {
	require.Len(t, tablesByTool, len(argumentTypes))
	for tool := range tablesByTool {
		fields := shapeOf(reflect.TypeOf(argumentTypes[tool]))
		for _, s := range tableOfTool(tool).rows {
			if s.to == "" {
				require.NotNil(t, fields.fieldAt("origin.extra"), "%s: %s", tool, s.from)
				continue
			}
			require.True(t, isKnownPath(fields, s.to), "%s: %s has no field %s", tool, s.from, s.to)
		}
	}
	changes := shapeOf(reflect.TypeFor[schemas.Changes]())
	for _, s := range changesTable().rows {
		require.True(t, isKnownPath(changes, s.to), "changes: %s has no field %s", s.from, s.to)
	}
}

// isKnownPath reports whether a path leads to a known field, or into a map that may have any fields.
func isKnownPath(fields *shape, path string) bool {
	at := fields.fieldAt(path)
	if i := strings.LastIndexByte(path, '.'); at == nil && i > 0 {
		parent := fields.fieldAt(path[:i])
		return parent != nil && parent.fields == nil
	}
	return at != nil
}

// Each message here has only the foreign field of one row. For at least one sample value, Normalise moves the field.
func TestAliasRows_EachMovesItsField(t *testing.T) {
	samples := []any{"ho_12", json.Number("1"), "conditional", "1.0.0", "handoff", "full", "success", []any{"x"}, map[string]any{"x": "y"}}
	for tool := range tablesByTool {
		for _, s := range tableOfTool(tool).rows {
			if s.from == s.to || s.read.isHint {
				continue
			}
			read := false
			for _, v := range samples {
				args := map[string]any{}
				if tool == "update_handoff" {
					args["action"] = "ask"
				}
				require.True(t, setAt(args, s.from, v))
				out, err := Normalise(tool, args)
				if err != nil { // an unknown word in a field that decides the outcome
					require.Contains(t, []string{"status", "priority", "metadata.priority", "urgency", "importance"}, strings.TrimPrefix(s.from, "changes."))
					continue
				}
				_, still := valueAt(out, s.from)
				read = read || !still
			}
			require.True(t, read, "%s: %s is never read", tool, s.from)
		}
	}
}

func TestSnakeCase_ReadsEverySpelling(t *testing.T) {
	for name, want := range map[string]string{
		"timeoutMs": "timeout_ms", "contextURL": "context_url", "URLList": "url_list", "_transferType": "_transfer_type",
		"handoff_id": "handoff_id", "ID": "id", "sha256Sum": "sha256_sum", "": "", "größe": "größe",
		"TIMEOUT-MS": "timeout_ms", "Handoff Id": "handoff_id", "handoff-id": "handoff_id",
	} {
		require.Equal(t, want, schemas.SnakeCase(name))
	}
}
