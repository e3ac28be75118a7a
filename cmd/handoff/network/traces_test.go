//go:build unix

package network_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// TestTraces_WorkflowIsOneTrace passes work on once: the two handoffs are one trace, the second within the first, and
// calls of agents are linked to them.
func TestTraces_WorkflowIsOneTrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := newSite(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_BSP_SCHEDULE_DELAY=200")
	secret := s.token("all", "ann,ben,cid")
	v := s.serve()
	const caller, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	ann := v.bare(secret, newer).as(func(b *bare) { b.header.Set("traceparent", "00-"+caller+"-"+parent+"-01") })
	ben := v.bare(secret, older)
	do := func(b *bare, tool string, args said) (claimed schemas.ClaimOut) {
		t.Helper()
		_, a := b.tool(tool, args)
		require.NotNil(t, a.Result)
		require.False(t, a.Result.IsError, "%+v", a.Result)
		require.NoError(t, json.Unmarshal(a.Result.StructuredContent, &claimed))
		return claimed
	}
	do(ann, "send_handoff", said{"to": "ben", "task": "design it", "workflow": "wf_login"})
	first := do(ben, "claim_handoff", said{"agent": "ben"})
	do(ben, "complete_handoff", said{
		"agent": "ben", "handoff_id": "1", "claim_token": first.Token, "summary": "designed",
		"continuation": said{"to": "cid", "task": "build it"},
	})
	second := do(ben, "claim_handoff", said{"agent": "cid"})
	do(ben, "complete_handoff", said{"agent": "cid", "handoff_id": "2", "claim_token": second.Token, "summary": "built"})

	require.Eventually(t, func() bool { return len(c.named("handoff")) == 2 }, 30*time.Second, 20*time.Millisecond,
		"the spans do not come")
	require.Less(t, v.stop(), 2*time.Second)
	handoffs := c.named("handoff")
	one, two := handoffs[0], handoffs[1]
	if two.ParentSpanID == "" || one.ParentSpanID == two.SpanID {
		one, two = two, one
	}
	require.Equal(t, one.TraceID, two.TraceID)
	require.Equal(t, one.SpanID, two.ParentSpanID)
	require.NotEqual(t, caller, one.TraceID)
	require.Contains(t, one.Links, struct{ TraceID, SpanID string }{caller, parent}, "it leads to whoever sent it")
	for _, stage := range []string{"queued", "working"} {
		require.Len(t, c.named(stage), 2)
		for _, s := range c.named(stage) {
			require.Equal(t, one.TraceID, s.TraceID)
			require.Contains(t, []string{one.SpanID, two.SpanID}, s.ParentSpanID)
		}
	}
}
