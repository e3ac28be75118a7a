package draft_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/draft"
	"handoff/schemas"
)

// The server compares a key with the digest of an earlier version, so equal sends must always have equal digests. The
// order of fields in stored content is part of that.
func TestMakeOne_DigestMatchesEarlierVersions(t *testing.T) {
	m := draft.Maker{Limits: schemas.DefaultLimits(), NewID: func(prefix string) string { return prefix + "1" }}
	in := schemas.SendIn{To: "qa", Task: "Test it", Tags: []string{"go"}, Options: &schemas.SendOptions{}}
	require.NoError(t, schemas.Decode([]byte(`{
		"reason": "it knows", "phase": "design", "kind": "a_to_b", "requirements": ["Go"], "task_id": "T-1", "after": ["ho_3"],
		"after_accepted": ["ho_4"], "needs_approval": true, "no_takers": "human", "max_attempts": 5, "not_before": "1h",
		"strategy": "full", "recall": 2, "limits": {"rounds": 2}, "step": "plan/step"}`), in.Options))
	d, err := m.MakeOne(schemas.Caller{Agent: "dev"}, in, time.Unix(0, 0))
	require.NoError(t, err)
	require.Equal(t, "7OYh10-fKJnYfih6", d.Digest)
}
