package tools_test

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"handoff/tools"
)

func TestTable_HasTenToolsByName(t *testing.T) {
	require.Equal(t, []string{
		"claim_handoff", "complete_handoff", "fail_handoff", "get_handoff", "handoff_history",
		"list_agents", "list_handoffs", "register_agent", "send_handoff", "update_handoff",
	}, names(tools.Table()))
	require.True(t, slices.IsSorted(names(tools.Admin())))
}

func names(table []tools.Tool) (all []string) {
	for _, row := range table {
		all = append(all, row.Name)
	}
	return all
}

func TestTable_RowsAreComplete(t *testing.T) {
	for _, row := range slices.Concat(tools.Table(), tools.Admin()) {
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
	for _, row := range tools.Table() {
		if row.ReadOnly {
			readers = append(readers, row.Name)
		}
	}
	require.Equal(t, []string{"get_handoff", "handoff_history", "list_agents", "list_handoffs"}, readers)
}

// Every session of every client pays tokens for what its model reads of the list, and time for the rest.
func TestToolListing_IsShort(t *testing.T) {
	read, outputs := 0, 0
	for _, row := range tools.Table() {
		read += utf8.RuneCountInString(row.Name + row.Description + string(row.InputSchema()))
		outputs += len(row.OutputSchema())
	}
	t.Logf("a model reads %d characters; output schemas have %d bytes", read, outputs)
	require.LessOrEqual(t, read, 9_500)
	require.LessOrEqual(t, outputs, 6_000)
	var rows []struct{ Name, Title, Description, InputSchema json.RawMessage }
	require.NoError(t, json.Unmarshal(tools.ToolListing(), &rows))
	require.Len(t, rows, len(tools.Table()))
}

// The words of the handoff protocols, and words by which clients search for tools.
func TestToolListing_HasWordsOfProtocolsAndSearches(t *testing.T) {
	listing := string(tools.ToolListing())
	for _, name := range []string{
		"context", "files", "artifacts", "decisions", "state", "expectations", "success_criteria", "deliverables",
		"constraints", "output_schema", "rollback", "on_failure", "after", "needs_approval", "no_takers",
		"not_before", "limits", "hand off", "delegate", "mailbox", "inbox", "task", "message",
	} {
		require.Regexp(t, `(?i)\b`+name+`\b`, listing)
	}
}
