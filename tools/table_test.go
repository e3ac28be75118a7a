package tools_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools"
)

func TestTableOffersTheTenByName(t *testing.T) {
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

func TestRowsAreComplete(t *testing.T) {
	for _, row := range slices.Concat(tools.Table, tools.Admin) {
		t.Run(row.Name, func(t *testing.T) {
			require.Regexp(t, `^[a-z0-9_]{1,24}$`, row.Name)
			require.NotEmpty(t, row.Title)
			require.NotEmpty(t, row.Description)
			require.Equal(t, !row.Admin, json.Valid(row.Input))
			require.Equal(t, !row.Admin, json.Valid(row.Output))
			require.True(t, row.Idempotent || !row.ReadOnly, "what changes nothing may be repeated")
		})
	}
}

func TestTheFourReadersAreReadOnly(t *testing.T) {
	var readers []string
	for _, row := range tools.Table {
		if row.ReadOnly {
			readers = append(readers, row.Name)
		}
	}
	require.Equal(t, []string{"get_handoff", "handoff_history", "list_agents", "list_handoffs"}, readers)
}

// What every session of every client pays for in tokens.
func TestListingStaysWithin10000Bytes(t *testing.T) {
	listing := tools.Listing()
	t.Logf("%d bytes", len(listing))
	require.LessOrEqual(t, len(listing), 10_000)
	var rows []struct{ Name, Title, Description, InputSchema json.RawMessage }
	require.NoError(t, json.Unmarshal(listing, &rows))
	require.Len(t, rows, len(tools.Table))
}

// The arguments that are decided, of which none may be lost when descriptions are shortened.
func TestListingHasEveryArgument(t *testing.T) {
	want := map[string][]string{
		"send_handoff": {
			"to", "task", "title", "type", "summary", "detail", "data", "context", "expectations", "rollback", "priority",
			"deadline", "workflow", "parent", "tags", "key", "dry_run", "options", "agent",
		},
		"claim_handoff": {"handoff_id", "wait_seconds", "tags", "view", "max_tokens", "agent"},
		"complete_handoff": {
			"handoff_id", "summary", "claim_token", "detail", "data", "results", "deliverables", "verification", "output",
			"notes", "continuation", "agent",
		},
		"fail_handoff": {
			"handoff_id", "description", "claim_token", "outcome", "type", "blockers", "partial_progress", "questions", "then",
			"rollback_to", "suggested_alternative", "checkpoint", "agent",
		},
		"update_handoff":  {"handoff_id", "action", "note", "claim_token", "percent", "questions", "conditions", "to", "changes", "agent"},
		"list_handoffs":   {"box", "status", "workflow", "tags", "type", "query", "since", "limit", "cursor", "agent"},
		"get_handoff":     {"handoff_id", "view", "reference", "max_tokens", "offset", "wait_seconds", "agent"},
		"handoff_history": {"handoff_id", "workflow", "format", "limit", "agent"},
		"register_agent": {
			"name", "accepts", "produces", "skills", "role", "description", "max_session_minutes", "max_open", "away", "agent",
		},
		"list_agents": {"capability", "role", "tags", "agent"},
	}
	for _, row := range tools.Table {
		var input struct{ Properties map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal(row.Input, &input))
		var have []string
		for name := range input.Properties {
			have = append(have, name)
		}
		require.ElementsMatch(t, want[row.Name], have, row.Name)
	}
}

// Names of tools and arguments that free fields explain only in words.
func TestDescriptionsNameFreeFieldsAndSearchWords(t *testing.T) {
	listing := string(tools.Listing())
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
