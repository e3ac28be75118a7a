package compose_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/compose"
	"handoff/schemas"
)

func TestHandoff_HasDefaults(t *testing.T) {
	h := compose.Handoff(schemas.Caller{Agent: "dev"}, schemas.SendIn{Task: "Test it\nwith care"}, "capability:review")
	require.Equal(t, schemas.Source{Agent: "dev"}, h.Source)
	require.Equal(t, schemas.Target{Capability: "review"}, h.Target)
	require.Equal(t, schemas.TypeHandoff, h.Type)
	require.Equal(t, "Test it", h.Title)
	require.Equal(t, schemas.Normal, h.Metadata.Priority)
	require.Equal(t, 3, h.Metadata.MaxAttempts)
	require.Equal(t, 1, h.Version)
}

func TestTargetOf_SetsAgentOrRole(t *testing.T) {
	require.Equal(t, schemas.Target{Agent: "qa", Reason: "it knows"}, compose.TargetOf("qa", "it knows"))
	require.Equal(t, schemas.Target{Role: "testing"}, compose.TargetOf("role:testing", ""))
}

func TestTitleFromTask_IsFirstLineOfAtMost80Bytes(t *testing.T) {
	require.Equal(t, "a", compose.TitleFromTask("\n a\n b"))
	require.LessOrEqual(t, len(compose.TitleFromTask(strings.Repeat("é", 100))), 80)
}

func TestSplitTags_SplitsAtCommas(t *testing.T) {
	require.Equal(t, []string{"a", "b", "c"}, compose.SplitTags([]string{"a, b", " ", "c,"}))
}

func TestMergeChanges_ExtendsListsAndMergesMaps(t *testing.T) {
	h := schemas.Handoff{
		Title: "old", Tags: []string{"a"}, Data: map[string]string{"k": "1", "l": "1"},
		Context: &schemas.Context{KnownIssues: []string{"slow"}},
	}
	was := h
	changed := compose.MergeChanges(&h, schemas.Changes{
		Title: "new", Tags: []string{"b"}, Data: map[string]string{"l": "2"}, Deadline: "2h",
		Context: &schemas.Context{KnownIssues: []string{"flaky"}},
	})
	require.Equal(t, []string{"title", "data", "deadline", "tags", "context"}, changed)
	require.Equal(t, "new", h.Title)
	require.Equal(t, []string{"a", "b"}, h.Tags)
	require.Equal(t, map[string]string{"k": "1", "l": "2"}, h.Data)
	require.Equal(t, []string{"slow", "flaky"}, h.Context.KnownIssues)
	require.Equal(t, map[string]string{"k": "1", "l": "1"}, was.Data, "what was sent before stays")
	require.Equal(t, []string{"slow"}, was.Context.KnownIssues)
	require.Empty(t, compose.MergeChanges(&h, schemas.Changes{Title: "new"}), "it says that already")
}

func TestMergeChanges_OfSameChangesTwiceChangesNothing(t *testing.T) {
	h := schemas.Handoff{Task: "Test it", Tags: []string{"a"}}
	changes := schemas.Changes{
		Tags: []string{"a", "b", "b"}, Data: map[string]string{"k": "1"}, Requirements: []string{"Go"},
		Context:      &schemas.Context{KnownIssues: []string{"slow"}, Files: []schemas.File{{Path: "a.go"}}, State: map[string]any{"n": []any{1.0}}},
		Expectations: &schemas.Expectations{Constraints: []string{"no network"}},
		Rollback:     &schemas.Rollback{FailureContext: []string{"x"}},
	}
	require.Equal(t, []string{"data", "tags", "requirements", "context", "expectations", "rollback"}, compose.MergeChanges(&h, changes))
	require.Equal(t, []string{"a", "b"}, h.Tags)
	was := h
	require.Empty(t, compose.MergeChanges(&h, changes))
	require.Equal(t, was, h)
}

func TestMergeChanges_NamesEachTermThatChanges(t *testing.T) {
	h := schemas.Handoff{Metadata: schemas.Metadata{Terms: schemas.Terms{NoTakers: "wait"}}}
	terms := schemas.Terms{NeedsApproval: true, NoTakers: "human"}
	changes := schemas.Changes{Options: &schemas.SendOptions{Terms: terms}}
	require.Equal(t, []string{"options.needs_approval", "options.no_takers"}, compose.MergeChanges(&h, changes))
	require.Equal(t, terms, h.Metadata.Terms)
	require.Empty(t, compose.MergeChanges(&h, schemas.Changes{Options: &schemas.SendOptions{}}), "what is not said stays")
	require.Equal(t, terms, h.Metadata.Terms)
}

func TestMergeChanges_ReplacesSchemaAndKeepsServerFields(t *testing.T) {
	h := schemas.Handoff{
		Context:      &schemas.Context{Questions: []string{"which?"}},
		Expectations: &schemas.Expectations{OutputSchema: json.RawMessage(`{"type":"object"}`), Strict: true},
	}
	changed := compose.MergeChanges(&h, schemas.Changes{
		Context:      &schemas.Context{Questions: []string{"why?"}, TestCommand: "go test"},
		Expectations: &schemas.Expectations{OutputSchema: json.RawMessage(`{"type":"array"}`)},
	})
	require.Equal(t, []string{"context", "expectations"}, changed)
	require.Equal(t, &schemas.Context{Questions: []string{"which?"}, TestCommand: "go test"}, h.Context)
	require.Equal(t, &schemas.Expectations{OutputSchema: json.RawMessage(`{"type":"array"}`), Strict: true}, h.Expectations)
}

func TestMergeChanges_ReplacesStoredReferenceOfSameName(t *testing.T) {
	kept := schemas.Reference{Name: "spec.md", Digest: "sha256:1"}
	other := schemas.Reference{Name: "plan.md", Digest: "sha256:2"}
	now := schemas.Reference{Name: "spec.md", Digest: "sha256:3"}
	h := schemas.Handoff{Context: &schemas.Context{References: []schemas.Reference{kept, other}}}
	was := h.Context
	compose.MergeChanges(&h, schemas.Changes{Context: &schemas.Context{References: []schemas.Reference{now}}})
	require.Equal(t, []schemas.Reference{other, now}, h.Context.References)
	require.Equal(t, []schemas.Reference{kept, other}, was.References, "what was sent before stays")
}
