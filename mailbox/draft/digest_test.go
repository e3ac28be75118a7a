package draft_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/draft"
	"handoff/schemas"
)

// A key is compared with the digest that an earlier version kept, so the same send has the same digest for ever: the
// order of fields in what is stored is part of it.
func TestOne_DigestIsThatOfEarlierVersions(t *testing.T) {
	m := draft.Maker{Limits: schemas.DefaultLimits(), NewID: func(prefix string) string { return prefix + "1" }}
	in := schemas.SendIn{To: "qa", Task: "Test it", Tags: []string{"go"}, Options: &schemas.SendOptions{}}
	require.NoError(t, schemas.Decode([]byte(`{
		"reason": "it knows", "phase": "design", "kind": "a_to_b", "requirements": ["Go"], "task_id": "T-1", "after": ["ho_3"],
		"after_accepted": ["ho_4"], "needs_approval": true, "no_takers": "human", "max_attempts": 5, "not_before": "1h",
		"strategy": "full", "recall": 2, "limits": {"rounds": 2}, "step": "plan/step"}`), in.Options))
	d, err := m.One(schemas.Caller{Agent: "dev"}, in, time.Unix(0, 0))
	require.NoError(t, err)
	require.Equal(t, "7OYh10-fKJnYfih6", d.Digest)
}
