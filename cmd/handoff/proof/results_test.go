package proof_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// mostShown is how long a result may be unless more was asked for, in bytes.
const mostShown = 8000

// A workspace with much of everything: a handoff of 256 KiB with many criteria, a chain, a crowd.
func crowded(t *testing.T) *office {
	o := newOffice(t)
	title, text := strings.Repeat("t", 200), strings.Repeat("word ", 800)
	tags := `["` + strings.Repeat("g", 60) + `1", "` + strings.Repeat("g", 60) + `2", "` + strings.Repeat("g", 60) + `3"]`
	for i := range 500 {
		o.must("dev", "register_agent", fmt.Sprintf(`{"name": "agent-%03d-%s", "accepts": ["testing", "review"], "skills": ["go", "sql"], "description": %q}`,
			i, strings.Repeat("n", 40), text[:400]))
	}
	o.must("dev", "register_agent", `{"name": "qa", "accepts": ["*"]}`)
	criteria := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%q,", text[:1500]), 100), ",")
	o.must("dev", "send_handoff", fmt.Sprintf(`{"to": "qa", "task": %q, "title": %q, "workflow": "large", "tags": %s,
		"context": {"original_request": %q}, "expectations": {"success_criteria": [%s]}}`, text, title, tags, strings.Repeat("y", 90<<10), criteria))
	for i := range 60 {
		o.must("dev", "send_handoff", fmt.Sprintf(`{"to": "qa", "task": "%d %s", "title": %q, "workflow": "large", "type": "%s", "tags": %s, "parent": "none"}`,
			i, text, title, strings.Repeat("k", 64), tags))
		o.must("dev", "send_handoff", fmt.Sprintf(`{"to": "qa", "task": "%d %s", "type": "message"}`, i, text))
	}
	o.must("qa", "claim_handoff", `{"handoff_id": 1}`)
	for i := range 60 {
		o.must("qa", "update_handoff", fmt.Sprintf(`{"handoff_id": 1, "action": "progress", "note": "%d %s"}`, i, text))
	}
	for i := range 60 {
		o.must("qa", "claim_handoff", fmt.Sprintf(`{"handoff_id": %d}`, i+2))
		if i%2 == 0 {
			o.must("qa", "fail_handoff", fmt.Sprintf(`{"handoff_id": %d, "description": %q}`, i+2, text))
		} else {
			o.must("qa", "complete_handoff", fmt.Sprintf(`{"handoff_id": %d, "summary": %q}`, i+2, text))
		}
	}
	return o
}

func TestResults_StaySmall(t *testing.T) {
	o := crowded(t)
	for _, c := range []struct{ agent, tool, args string }{
		{"qa", "get_handoff", `{"handoff_id": 1}`},
		{"qa", "get_handoff", `{"handoff_id": 1, "view": "events"}`},
		{"qa", "get_handoff", `{"handoff_id": 1, "view": "reference"}`},
		{"qa", "get_handoff", `{"handoff_id": 2, "view": "outcome"}`},
		{"qa", "get_handoff", `{"handoff_id": 3, "view": "outcome"}`},
		{"qa", "claim_handoff", `{"handoff_id": 1}`},
		{"dev", "claim_handoff", `{}`},
		{"dev", "list_handoffs", `{}`},
		{"dev", "list_handoffs", `{"limit": 50}`},
		{"dev", "list_handoffs", `{"box": "sent", "limit": 50}`},
		{"qa", "list_handoffs", `{"box": "claimed"}`},
		{"dev", "list_handoffs", `{"box": "all", "limit": 50}`},
		{"qa", "list_handoffs", `{"box": "notices"}`},
		{"dev", "list_handoffs", `{"box": "notices", "limit": 50}`},
		{"dev", "handoff_history", `{"workflow": "large"}`},
		{"dev", "handoff_history", `{"workflow": "large", "format": "rows"}`},
		{"dev", "handoff_history", `{"workflow": "large", "format": "mermaid"}`},
		{"dev", "send_handoff", `{"to": "capability:testing", "task": "x", "type": "testing"}`},
		{"dev", "send_handoff", `{"to": "capability:testing", "task": "x", "type": "testing", "dry_run": true}`},
	} {
		t.Run(c.tool+" "+c.args, func(t *testing.T) {
			out := o.must(c.agent, c.tool, c.args)
			require.LessOrEqual(t, len(commandtest.AsJSON(t, out)), mostShown)
		})
	}
	for _, c := range []struct{ agent, tool, args string }{ // refusals
		{"dev", "send_handoff", `{"to": "agnt-001", "task": "x"}`},
		{"qa", "complete_handoff", `{"handoff_id": 1, "summary": "Done"}`},
		{"dev", "send_handoff", `{"to": "agent-001-` + strings.Repeat("n", 40) + `", "task": "x", "type": "` + strings.Repeat("u", 64) + `"}`},
	} {
		t.Run(c.tool+" "+c.args, func(t *testing.T) {
			_, err := o.call(c.agent, c.tool, c.args)
			require.NotNil(t, err)
			require.LessOrEqual(t, len(commandtest.AsJSON(t, err)), mostShown)
		})
	}
}

// The next call, which the result names, has the rest.
func TestResults_NameWayToRest(t *testing.T) {
	o := crowded(t)
	for _, c := range []struct{ agent, tool, args, next string }{
		{"qa", "get_handoff", `{"handoff_id": 1}`, `"view":"full"`},
		{"qa", "get_handoff", `{"handoff_id": 1, "view": "events"}`, `"offset":20`},
		{"qa", "get_handoff", `{"handoff_id": 1, "view": "reference"}`, `"offset":4`},
		{"dev", "list_handoffs", `{"limit": 50}`, `"cursor":"ho_`},
		{"dev", "list_handoffs", `{"box": "all", "limit": 50}`, `"cursor":"ho_`},
		{"qa", "list_handoffs", `{"box": "notices", "limit": 50}`, `"cursor":"ho_`},
		{"dev", "handoff_history", `{"workflow": "large"}`, `"limit":91,"workflow":"wf_large"`},
		{"dev", "handoff_history", `{"workflow": "large", "format": "rows"}`, `"limit":91`},
	} {
		t.Run(c.tool+" "+c.args, func(t *testing.T) {
			require.Contains(t, commandtest.AsJSON(t, o.must(c.agent, c.tool, c.args)["next"]), c.next)
		})
	}
	all := o.must("dev", "handoff_history", `{"workflow": "large", "limit": 91}`)
	require.Equal(t, 91, strings.Count(all["tree"].(string), "Status: "))
	require.Nil(t, all["more"])
	require.Equal(t, true, all["log_verified"])
}
