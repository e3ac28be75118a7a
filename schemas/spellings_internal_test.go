package schemas

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests here read the table itself: a row with a slip in a path would never be noticed from outside.

var spelledTypes = map[string]any{
	"send_handoff": SendIn{}, "complete_handoff": CompleteIn{}, "fail_handoff": FailIn{},
	"update_handoff": UpdateIn{}, "claim_handoff": ClaimIn{}, "get_handoff": GetIn{},
	"list_handoffs": ListIn{}, "handoff_history": HistoryIn{}, "register_agent": RegisterIn{},
	"list_agents": AgentsIn{},
}

func TestSpellingsLeadToFieldsOfTheTool(t *testing.T) {
	require.Len(t, dialects(), len(spelledTypes))
	for tool, d := range dialects() {
		fields := shapeOf(reflect.TypeOf(spelledTypes[tool]))
		for _, s := range append(d.rows, d.hints...) {
			if s.to == "" {
				require.NotNil(t, fields.at("origin.extra"), "%s: %s", tool, s.from)
				continue
			}
			require.True(t, known(fields, s.to), "%s: %s has no field %s", tool, s.from, s.to)
		}
	}
	changes := shapeOf(reflect.TypeFor[Changes]())
	for _, s := range changesDialect().rows {
		require.True(t, known(changes, s.to), "changes: %s has no field %s", s.from, s.to)
	}
}

// known tells whether a path leads to a field, or into a free map.
func known(fields *shape, path string) bool {
	at := fields.at(path)
	if i := strings.LastIndexByte(path, '.'); at == nil && i > 0 {
		parent := fields.at(path[:i])
		return parent != nil && parent.fields == nil
	}
	return at != nil
}

// Each row is alive: alone, its field leaves its place, and nothing of it is left for the decoder to refuse.
func TestEverySpellingIsRead(t *testing.T) {
	samples := []any{"ho_12", json.Number("1"), "conditional", "1.0.0", "handoff", []any{"x"}, map[string]any{"x": "y"}}
	for tool, d := range dialects() {
		for _, s := range d.rows {
			if s.from == s.to {
				continue
			}
			read := false
			for _, v := range samples {
				args := map[string]any{}
				require.True(t, putAt(args, s.from, v))
				out, err := Respell(tool, args)
				require.NoError(t, err)
				_, still := lookAt(out, s.from)
				read = read || !still
			}
			require.True(t, read, "%s: %s is never read", tool, s.from)
		}
	}
}

func TestSnake(t *testing.T) {
	for name, want := range map[string]string{
		"timeoutMs": "timeout_ms", "contextURL": "context_url", "URLList": "url_list", "_transferType": "_transfer_type",
		"handoff_id": "handoff_id", "ID": "id", "sha256Sum": "sha256_sum", "": "", "größe": "größe",
	} {
		require.Equal(t, want, snake(name))
	}
}
