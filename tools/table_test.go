package tools_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
)

func TestTable_HasTenToolsByName(t *testing.T) {
	require.Equal(t, []string{
		"claim_handoff", "complete_handoff", "fail_handoff", "get_handoff", "handoff_history",
		"list_agents", "list_handoffs", "register_agent", "send_handoff", "update_handoff",
	}, names(tools.Table))
	require.True(t, slices.IsSorted(names(tools.Admin)))
}

func names(table []tools.Tool) (all []string) {
	for _, row := range table {
		all = append(all, row.Name)
	}
	return all
}

func TestTable_RowsAreComplete(t *testing.T) {
	for _, row := range slices.Concat(tools.Table, tools.Admin) {
		t.Run(row.Name, func(t *testing.T) {
			require.Regexp(t, `^[a-z0-9_]{1,24}$`, row.Name)
			require.Equal(t, !row.Admin, row.Title != "" && row.Description != "")
			require.Equal(t, !row.Admin, json.Valid(row.InputSchema()))
			require.Equal(t, !row.Admin, json.Valid(row.OutputSchema()))
			require.True(t, row.Idempotent || !row.ReadOnly || row.Admin, "what changes nothing may be repeated")
		})
	}
}

func TestTable_FourToolsAreReadOnly(t *testing.T) {
	var readers []string
	for _, row := range tools.Table {
		if row.ReadOnly {
			readers = append(readers, row.Name)
		}
	}
	require.Equal(t, []string{"get_handoff", "handoff_history", "list_agents", "list_handoffs"}, readers)
}

// Every session of every client pays tokens for the listing.
func TestToolListing_StaysWithin12000Bytes(t *testing.T) {
	listing := tools.ToolListing()
	t.Logf("%d bytes", len(listing))
	require.LessOrEqual(t, len(listing), 12_000)
	var rows []struct{ Name, Title, Description, InputSchema json.RawMessage }
	require.NoError(t, json.Unmarshal(listing, &rows))
	require.Len(t, rows, len(tools.Table))
}

// Each field of an argument type is an argument that models see, unless its tag hides it.
func TestToolListing_HasEveryPublishedArgument(t *testing.T) {
	for _, row := range tools.Table {
		var input struct{ Properties map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal(row.InputSchema(), &input))
		want := append(publishedFields(t, row.Name), "agent")
		require.ElementsMatch(t, want, slices.Collect(maps.Keys(input.Properties)), row.Name)
	}
}

// publishedFields lists the fields of the argument type of a tool that are neither hidden nor filled by the mailbox.
func publishedFields(t *testing.T, tool string) (names []string) {
	for _, in := range []schemas.Input{
		schemas.SendIn{},
		schemas.ClaimIn{},
		schemas.CompleteIn{},
		schemas.FailIn{},
		schemas.UpdateIn{},
		schemas.ListIn{},
		schemas.GetIn{},
		schemas.HistoryIn{},
		schemas.RegisterIn{},
		schemas.AgentsIn{},
	} {
		if in.Tool() != tool {
			continue
		}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(in)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			notes := f.Tag.Get("jsonschema_extras")
			if name != "" && !strings.Contains(notes, "x-hidden") && !strings.Contains(notes, "x-filled") {
				names = append(names, name)
			}
		}
	}
	require.NotEmpty(t, names, tool)
	return names
}

// Names of tools and arguments that free fields explain only in words.
func TestToolListing_DescribesFreeFieldsAndSearchWords(t *testing.T) {
	listing := string(tools.ToolListing())
	for _, name := range []string{
		"original_request", "completed_steps", "results", "decisions", "files", "artifacts", "state", "memories",
		"previous_failures", "known_issues", "test_command", "reproduction_steps", "project", "references",
		"acceptance_criteria", "on_failure", "failure_context", "checkpoint_id",
		"reason", "phase", "kind", "requirements", "task_id", "after", "needs_approval", "no_takers", "max_attempts",
		"not_before", "force", "strategy", "recall", "limits", "suggested_next",
		"hand off", "delegate", "mailbox", "inbox", "task", "message",
	} {
		require.Regexp(t, `(?i)\b`+name+`\b`, listing)
	}
}
