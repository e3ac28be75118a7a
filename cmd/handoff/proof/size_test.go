package proof_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/respell/respelltest"
)

// The remains of a handoff may be as large as a handoff. Its successor must be made all the same: if that fails while
// the clock ends a handoff, it fails in every call, for ever.
func TestSize_LargeRestLeavesRoomForNextClaim(t *testing.T) {
	large := strings.Repeat("x", 250<<10)
	for name, end := range map[string]func(o *office){
		"failure": func(o *office) {
			o.must("qa", "fail_handoff", fmt.Sprintf(`{"handoff_id": 1, "description": "No", "blockers": [{"description": %q}]}`, large))
		},
		"failure and retry": func(o *office) {
			o.must("qa", "fail_handoff", fmt.Sprintf(`{"handoff_id": 1, "description": "No", "then": "retry", "partial_progress": {"completed": [%q]}}`, large))
		},
		"checkpoint, then the deadline": func(o *office) {
			o.must("qa", "update_handoff", fmt.Sprintf(`{"handoff_id": 1, "action": "progress", "changes": {"checkpoint": {"state": {"all": %q}}}}`, large))
			o.Pass(3 * time.Hour)
		},
		"the largest checkpoint, then the deadline": func(o *office) {
			largest := strings.Repeat("x", 256<<10-100)
			o.must("qa", "update_handoff", fmt.Sprintf(`{"handoff_id": 1, "action": "progress", "changes": {"checkpoint": {"state": {"all": %q}}}}`, largest))
			o.Pass(3 * time.Hour)
		},
		"the largest checkpoint, then silence": func(o *office) {
			largest := strings.Repeat("x", 256<<10-100)
			o.must("qa", "update_handoff", fmt.Sprintf(`{"handoff_id": 1, "action": "progress", "changes": {"checkpoint": {"state": {"all": %q}}}}`, largest))
			o.must("dev", "connection_close", `{"conn": "conn_1"}`)
			o.Pass(time.Hour)
		},
		"return": func(o *office) {
			o.must("qa", "complete_handoff", fmt.Sprintf(`{"handoff_id": 1, "summary": "Done", "notes": [%q]}`, large))
			o.must("dev", "update_handoff", `{"handoff_id": 1, "action": "return", "note": "Again"}`)
		},
		"retry by the sender": func(o *office) {
			o.must("qa", "fail_handoff", fmt.Sprintf(`{"handoff_id": 1, "description": "No", "then": "stop", "partial_progress": {"completed": [%q]}}`, large))
			o.must("dev", "update_handoff", `{"handoff_id": 1, "action": "retry"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			o.must("dev", "send_handoff", fmt.Sprintf(`{"to": "qa", "task": "x", "deadline": "2h", "options": {"max_attempts": 1}, "context": {"original_request": %q}}`, large))
			o.must("qa", "claim_handoff", `{}`)
			end(o)
			o.must("dev", "list_handoffs", `{"box": "all"}`)
			whole := commandtest.AsJSON(t, o.must("dev", "get_handoff", `{"handoff_id": 2, "view": "full", "max_tokens": 1000000}`))
			require.Contains(t, whole, "ho_1", "it says where the rest is")
			o.must("dev", "send_handoff", `{"to": "qa", "task": "y"}`)
		})
	}
}

// A deadline and a timeout were asked for: the earlier holds, and both are shown as they were asked for, also
// after one of them is amended.
func TestDeadline_EarlierOfDeadlineAndTimeoutCounts(t *testing.T) {
	o := newOffice(t)
	o.must("dev", "send_handoff", `{"to": "qa", "task": "x", "deadline": "2026-01-12T12:00:00Z", "expectations": {"timeout": "1h"}}`)
	asked := func() any {
		full := o.must("dev", "get_handoff", `{"handoff_id": 1, "view": "full"}`)
		return []any{respelltest.ValueAt(full, "handoff.metadata.deadline"), respelltest.ValueAt(full, "handoff.expectations.timeout")}
	}
	holds := func() any { return o.must("dev", "get_handoff", `{"handoff_id": 1}`)["brief"] }
	require.Equal(t, []any{"2026-01-12T12:00:00Z", "1h"}, asked())
	require.Contains(t, holds(), "Deadline: 2026-01-11T21:30:00Z")

	o.must("dev", "update_handoff", `{"handoff_id": 1, "action": "amend", "changes": {"title": "y"}}`)
	require.Equal(t, []any{"2026-01-12T12:00:00Z", "1h"}, asked())
	o.must("dev", "update_handoff", `{"handoff_id": 1, "action": "amend", "changes": {"expectations": {"timeout": "2 days"}}}`)
	require.Equal(t, []any{"2026-01-12T12:00:00Z", "2 days"}, asked())
	require.Contains(t, holds(), "Deadline: 2026-01-12T12:00:00Z")
	o.must("dev", "update_handoff", `{"handoff_id": 1, "action": "amend", "changes": {"deadline": "2026-01-15T12:00:00Z"}}`)
	require.Contains(t, holds(), "Deadline: 2026-01-13T20:30:00Z")

	o.Pass(48 * time.Hour)
	require.Equal(t, "timed_out", o.must("dev", "get_handoff", `{"handoff_id": 1}`)["status"])
}
