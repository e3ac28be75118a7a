package telemetry_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

var hexIDs = regexp.MustCompile(`"(?:traceId|spanId|parentSpanId)":"[^"]*"`)

func base64JSON(id []byte) string { return `"` + base64.StdEncoding.EncodeToString(id) + `"` }

const callerTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

func traceparent(span string) string { return "00-" + callerTrace + "-" + span + "-01" }

// drawSpanTree writes a tree of spans: the name, the agent, the end, and the duration.
func drawSpanTree(spans []*tracepb.Span) string {
	var b strings.Builder
	known := map[string]bool{}
	for _, s := range spans {
		known[string(s.GetSpanId())] = true
	}
	var below func(parent string, depth int)
	below = func(parent string, depth int) {
		for _, s := range spans {
			of := string(s.GetParentSpanId())
			if of != parent && (parent != "" || known[of]) {
				continue
			}
			a := attributes(s.GetAttributes())
			took := time.Duration(s.GetEndTimeUnixNano() - s.GetStartTimeUnixNano())
			fmt.Fprintf(&b, "%s%s %s %s %s %s\n", strings.Repeat("  ", depth), s.GetName(), a["handoff.id"], a["handoff.agent"], a["handoff.action"], took)
			below(string(s.GetSpanId()), depth+1)
		}
	}
	below("", 0)
	return b.String()
}

// traceCalls makes calls in a workspace whose handoffs are traced, and returns the spans.
func traceCalls(t *testing.T, makeCalls func(o office)) (spans []*tracepb.Span) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o, c := newOffice(t), &collector{t: t}
		traces := newTraces(t, c)
		whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, o) }, func() { makeCalls(o) })
		spans = closeAndTakeSpans(t, traces, c)
	})
	return spans
}

func TestTraces_WorkflowIsOneTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c := newOffice(t), &collector{t: t}
		traces := newTraces(t, c)
		boss, qa := newCaller("boss", traceparent("00f067aa0ba902b7")), newCaller("qa")
		whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, o) }, func() {
			sent := callTool(t, o, boss, "send_handoff", `{"to":"qa","task":"the secret task","title":"the secret title","workflow":"login"}`)
			time.Sleep(time.Minute)
			token := callTool(t, o, qa, "claim_handoff", `{}`).Token
			time.Sleep(2 * time.Minute)
			callTool(t, o, qa, "update_handoff", `{"handoff_id":"ho_1","action":"progress","note":"the secret note","claim_token":"`+token+`"}`)
			callTool(t, o, qa, "update_handoff", `{"handoff_id":"ho_1","action":"ask","questions":["which secret?"],"claim_token":"`+token+`"}`)
			time.Sleep(3 * time.Minute)
			callTool(t, o, boss, "update_handoff", `{"handoff_id":"ho_1","action":"answer","note":"the secret answer"}`)
			time.Sleep(4 * time.Minute)
			token = callTool(t, o, qa, "claim_handoff", `{}`).Token
			time.Sleep(5 * time.Minute)
			callTool(t, o, qa, "complete_handoff", `{"handoff_id":"ho_1","summary":"the secret end","claim_token":"`+token+`",
				"continuation":{"to":"dev","task":"the secret rest"}}`)
			time.Sleep(time.Minute)
			token = callTool(t, o, newCaller("dev"), "claim_handoff", `{}`).Token
			time.Sleep(time.Minute)
			callTool(t, o, newCaller("dev"), "fail_handoff", `{"handoff_id":"ho_2","description":"the secret failure","then":"stop","claim_token":"`+token+`"}`)
			require.EqualValues(t, "wf_login", sent.Workflow)
		})
		spans := closeAndTakeSpans(t, traces, c)
		require.Equal(t, strings.TrimLeft(`
handoff ho_1 qa completed 15m0s
  queued ho_1 qa claimed 1m0s
  working ho_1 qa asked 2m0s
  waiting ho_1 qa answered 3m0s
  queued ho_1 qa claimed 4m0s
  working ho_1 qa completed 5m0s
  handoff ho_2 dev failed 2m0s
    queued ho_2 dev claimed 1m0s
    working ho_2 dev failed 1m0s
`, "\n"), drawSpanTree(spans))
		for _, s := range spans {
			require.Equal(t, spans[0].GetTraceId(), s.GetTraceId())
			require.NotContains(t, s.String(), "secret")
			require.Equal(t, tracepb.Span_SPAN_KIND_INTERNAL, s.GetKind())
		}

		whole := spansNamed(spans, "handoff")
		links := whole[0].GetLinks()
		require.Len(t, links, 1, "each once")
		require.Equal(t, callerTrace, hex.EncodeToString(links[0].GetTraceId()))
		require.Equal(t, "00f067aa0ba902b7", hex.EncodeToString(links[0].GetSpanId()))
		require.Equal(t, "completed", attributes(whole[0].GetAttributes())["handoff.outcome"])
		require.Equal(t, "boss", attributes(whole[0].GetAttributes())["handoff.sender"])
		require.Equal(t, "wf_login", attributes(whole[0].GetAttributes())["handoff.workflow"])
		require.Equal(t, tracepb.Status_STATUS_CODE_UNSET, whole[0].GetStatus().GetCode())
		require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, whole[1].GetStatus().GetCode())
		require.Equal(t, "handoff", c.resource["service.name"])
		require.Equal(t, "login-1", c.resource["handoff.workspace"])
	})
}

// A stage that began before the restart and ended after it has a span from its beginning. A stage that ended while no
// server ran has no span.
func TestTraces_RestartLosesOnlyStagesThatEndedBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c := newOffice(t), &collector{t: t}
		traces := newTraces(t, c)
		callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"x"}`)
		time.Sleep(time.Minute)
		token := callTool(t, o, newCaller("qa"), "claim_handoff", `{}`).Token
		unsteady := &failingChanges{o.LocalInvoker, 1}
		whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, unsteady) }, func() {
			callTool(t, o, newCaller("qa"), "complete_handoff", `{"handoff_id":"ho_1","summary":"done","claim_token":"`+token+`"}`)
			time.Sleep(time.Minute)
		})
		require.Equal(t, "handoff ho_1 qa completed 1m0s\n  working ho_1 qa completed 0s\n", drawSpanTree(closeAndTakeSpans(t, traces, c)))
	})
}

// A handoff with many events is read page by page.
func TestTraces_LongHandoffStartsAtItsBeginning(t *testing.T) {
	spans := traceCalls(t, func(o office) {
		callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"x"}`)
		token := callTool(t, o, newCaller("qa"), "claim_handoff", `{}`).Token
		for range 45 {
			time.Sleep(time.Minute)
			callTool(t, o, newCaller("qa"), "update_handoff", `{"handoff_id":"ho_1","action":"progress","claim_token":"`+token+`"}`)
		}
		callTool(t, o, newCaller("qa"), "complete_handoff", `{"handoff_id":"ho_1","summary":"done","claim_token":"`+token+`"}`)
	})
	require.Equal(t, "handoff ho_1 qa completed 45m0s\n  queued ho_1 qa claimed 0s\n  working ho_1 qa completed 45m0s\n", drawSpanTree(spans))
}

func TestTraces_DeadlineSpanEndsAtDueTime(t *testing.T) {
	spans := traceCalls(t, func(o office) {
		callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"x","deadline":"10m"}`)
		time.Sleep(3 * time.Hour)
		callTool(t, o, newCaller("qa"), "list_handoffs", `{}`)
	})
	require.Equal(t, "handoff ho_1  timed_out 10m0s\n  queued ho_1  timed_out 10m0s\n", drawSpanTree(spans))
	require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, spans[0].GetStatus().GetCode())
}

// A handoff may continue one of another workflow, which has a trace of its own.
func TestTraces_LinkParentInOtherWorkflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c := newOffice(t), &collector{t: t}
		callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"x"}`)
		traces := newTraces(t, c)
		whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, o) }, func() {
			callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"dev","task":"y","parent":"ho_1","workflow":"other"}`)
			callTool(t, o, newCaller("boss"), "update_handoff", `{"handoff_id":"ho_2","action":"cancel"}`)
			callTool(t, o, newCaller("boss"), "update_handoff", `{"handoff_id":"ho_1","action":"cancel"}`)
		})
		whole := spansNamed(closeAndTakeSpans(t, traces, c), "handoff")
		require.Len(t, whole, 2)
		other, first := whole[0], whole[1]
		require.NotEqual(t, first.GetTraceId(), other.GetTraceId())
		require.Empty(t, other.GetParentSpanId())
		require.Len(t, other.GetLinks(), 1)
		require.Equal(t, first.GetTraceId(), other.GetLinks()[0].GetTraceId())
		require.Equal(t, first.GetSpanId(), other.GetLinks()[0].GetSpanId())
	})
}

// Every process computes the same ids after every restart.
func TestTraces_IDsMatchEarlierVersions(t *testing.T) {
	spans := traceCalls(t, func(o office) {
		callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"x","workflow":"login"}`)
		callTool(t, o, newCaller("boss"), "update_handoff", `{"handoff_id":"ho_1","action":"cancel"}`)
	})
	whole := spansNamed(spans, "handoff")[0]
	require.Equal(t, "b17557f44e86b6e91e94d4d9b6c042c3", hex.EncodeToString(whole.GetTraceId()))
	require.Equal(t, "0b9b70afc5aa2ee5", hex.EncodeToString(whole.GetSpanId()))
}

func TestTraces_SamplerOfEnvironmentApplies(t *testing.T) {
	for _, test := range []struct {
		sampler, arg string
		want         int
	}{
		{"", "", 2},
		{"always_on", "", 2},
		{"always_off", "", 0},
		{"parentbased_always_off", "", 0},
		{"parentbased_traceidratio", "0", 0},
		{"traceidratio", "1.0", 2},
		{"traceidratio", "all", 2},
		{"unheard_of", "", 2},
	} {
		t.Run(test.sampler+test.arg, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", test.sampler)
			t.Setenv("OTEL_TRACES_SAMPLER_ARG", test.arg)
			spans := traceCalls(t, func(o office) {
				callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"x"}`)
				callTool(t, o, newCaller("boss"), "update_handoff", `{"handoff_id":"ho_1","action":"cancel"}`)
			})
			require.Len(t, spans, test.want)
		})
	}
}

func TestTraces_HeadersAndResourceComeFromEnvironment(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "mail")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=lost,deployment.environment.name=test")
	synctest.Test(t, func(t *testing.T) {
		o, c := newOffice(t), &collector{t: t}
		traces := newTraces(t, c, "OTEL_EXPORTER_OTLP_HEADERS", "api-key=s%3Dcret, other = x,broken")
		whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, o) }, o.claimOne)
		require.Equal(t, []string{"queued"}, spanNames(closeAndTakeSpans(t, traces, c)))
		require.NoError(t, traces.Close(t.Context()), "it may be closed twice")
		require.Equal(t, "s=cret", c.requests[0].Header.Get("Api-Key"))
		require.Equal(t, "x", c.requests[0].Header.Get("Other"))
		require.Equal(t, "application/json", c.requests[0].Header.Get("Content-Type"))
		require.Equal(t, "mail", c.resource["service.name"])
		require.Equal(t, "test", c.resource["deployment.environment.name"])
	})
}
