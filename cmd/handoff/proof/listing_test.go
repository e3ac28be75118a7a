package proof_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// The arguments of each tool of which none may be lost; {…} are the fields of an object, which the schema or one
// description names.
const listed = `
claim_handoff handoff_id wait_seconds tags view max_tokens
complete_handoff handoff_id summary claim_token detail data results deliverables{type description files_created files_modified tests_created} verification{criteria criterion met evidence commands command exit_code output} output notes continuation{to suggested_next}
fail_handoff handoff_id description claim_token outcome{failed rejected} type blockers{type description required_to_proceed} partial_progress{completed incomplete} questions then{rollback retry escalate stop} rollback_to suggested_alternative checkpoint{state note}
get_handoff handoff_id view{brief full outcome events audit checkpoint reference} reference max_tokens offset wait_seconds
handoff_history handoff_id workflow format{tree rows mermaid} limit
list_agents capability role tags
list_handoffs box{inbox claimed sent notices all} status{pending accepted working waiting completed rejected failed timed_out returned cancelled} workflow tags type query since limit cursor
register_agent name accepts produces skills role description max_session_minutes max_open away
send_handoff to task title type summary detail data context{original_request completed_steps results decisions decision rationale files path lines note artifacts type content description state memories previous_failures known_issues test_command reproduction_steps project references} expectations{deliverables type description files acceptance_criteria success_criteria constraints output_schema if_stuck timeout estimated_duration strict} rollback{on_failure failure_context checkpoint_id} priority{low normal high critical} deadline workflow parent tags key dry_run options{reason phase kind requirements task_id after needs_approval no_takers max_attempts not_before force strategy recall limits}
update_handoff handoff_id action{progress ask answer release amend cancel retry return approve refuse} note claim_token percent questions conditions{needs_more_context needs_permission estimated_completion} to changes{checkpoint state note}
`

var argumentForm = regexp.MustCompile(`(\w+)(?:\{([^}]*)\})?`)

func TestListingIsSmallAndNamesEveryArgument(t *testing.T) {
	t.Parallel()
	have := commandtest.NewDesk(t).Must("", "tools", "--json")
	require.LessOrEqual(t, len(have), 12_000, "handoff tools --json | wc -c")
	var tools []struct {
		Name, Title, Description string
		InputSchema              struct{ Properties map[string]json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(have), &tools))
	rows := strings.Split(strings.TrimSpace(listed), "\n")
	require.Len(t, tools, len(rows))
	for i, row := range rows {
		name, arguments, _ := strings.Cut(row, " ")
		tool := tools[i]
		require.Equal(t, name, tool.Name, "the order is by name")
		require.NotEmpty(t, tool.Title)
		require.NotEmpty(t, tool.Description)
		want := []string{"agent"}
		for _, m := range argumentForm.FindAllStringSubmatch(arguments, -1) {
			want = append(want, m[1])
			for field := range strings.FieldsSeq(m[2]) {
				require.Regexp(t, `\b`+field+`\b`, string(tool.InputSchema.Properties[m[1]]), "%s.%s", name, m[1])
			}
		}
		require.Subset(t, slices.Collect(maps.Keys(tool.InputSchema.Properties)), want, name)
	}
}
