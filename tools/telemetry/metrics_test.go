package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/telemetry"
)

func newMetrics(inv tools.Invoker) *telemetry.Metrics {
	return telemetry.NewMetrics(telemetry.MetricsConfig{Invoker: inv, Version: "1.2.3", Now: time.Now})
}

// scrapeMetrics reads the written metrics as strictly as the format allows, into samples by name and labels.
func scrapeMetrics(t *testing.T, m *telemetry.Metrics) map[string]float64 {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.Write(context.Background(), &b))
	return parseMetrics(t, b.String())
}

var (
	sampleLine = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)(\{(?:[a-zA-Z_]+="(?:[^"\\\n]|\\["\\n])*"(?:, ?|\}))+)? (\S+)$`)
	headLine   = regexp.MustCompile(`^# (HELP|TYPE) ([a-z_]+) (.+)$`)
)

// parseMetrics fails the test if the samples of a family are not together, if the head of a family comes after its
// samples, or if a sample comes twice.
func parseMetrics(t *testing.T, text string) map[string]float64 {
	t.Helper()
	samples, kinds, ours := map[string]float64{}, map[string]string{}, ""
	require.True(t, strings.HasSuffix(text, "\n"))
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if head := headLine.FindStringSubmatch(line); head != nil {
			if head[1] == "TYPE" {
				require.Equal(t, ours, head[2], "help comes first")
				require.Contains(t, []string{"counter", "gauge", "histogram"}, head[3])
				kinds[ours] = head[3]
				continue
			}
			ours = head[2]
			require.NotContains(t, kinds, ours, "a family comes once")
			continue
		}
		s := sampleLine.FindStringSubmatch(line)
		require.NotNil(t, s, line)
		if strings.HasPrefix(s[1], "handoff_") {
			name := s[1]
			if kinds[ours] == "histogram" {
				name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			}
			require.Equal(t, ours, name, line)
			require.Equal(t, kinds[ours] == "counter", strings.HasSuffix(ours, "_total"), ours)
		}
		value, err := strconv.ParseFloat(s[3], 64)
		require.NoError(t, err, line)
		require.NotContains(t, samples, s[1]+s[2])
		samples[s[1]+s[2]] = value
	}
	return samples
}

func TestMetrics_ShowStatisticsOfWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		m := newMetrics(o.LocalInvoker)
		inv := m.WrapInvoker(o.LocalInvoker)
		callTool(t, inv, newCaller("boss"), "send_handoff", `{"to":"qa","task":"test it"}`)
		callTool(t, inv, newCaller("boss"), "send_handoff", `{"to":"role:testing","task":"test it too"}`)
		time.Sleep(90 * time.Second)
		have := scrapeMetrics(t, m)
		for name, want := range map[string]float64{
			`handoff_up`:                                                                                 1,
			`handoff_handoffs{state="pending"}`:                                                          2,
			`handoff_handoffs{state="timed_out"}`:                                                        0,
			`handoff_mailbox_pending{mailbox="qa"}`:                                                      1,
			`handoff_mailbox_pending{mailbox="role:testing"}`:                                            1,
			`handoff_mailbox_oldest_pending_seconds{mailbox="qa"}`:                                       90,
			`handoff_registry_events_total`:                                                              2,
			`handoff_store_commit_duration_seconds_count`:                                                2,
			`handoff_store_commit_duration_seconds_bucket{le="0.0005"}`:                                  2,
			`handoff_store_commit_duration_seconds_bucket{le="+Inf"}`:                                    2,
			`handoff_calls_total{tool="send_handoff",outcome="ok"}`:                                      2,
			`handoff_lease_expiries_total`:                                                               0,
			`handoff_denied_events_total`:                                                                0,
			`handoff_call_duration_seconds_count{tool="send_handoff",outcome="ok",wait="no"}`:            2,
			`handoff_call_duration_seconds_bucket{tool="send_handoff",outcome="ok",wait="no",le="+Inf"}`: 2,
		} {
			require.Contains(t, have, name)
			require.InDelta(t, want, have[name], 1e-3, name)
		}
		require.Contains(t, have, "process_resident_memory_bytes")
		require.NotContains(t, have, `handoff_mailbox_oldest_pending_seconds{mailbox="boss"}`)
	})
}

// A claim that waits says nothing about the speed of the server.
func TestMetrics_CountWaitingCallsSeparately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		m := newMetrics(o.LocalInvoker)
		inv := m.WrapInvoker(o.LocalInvoker)
		callTool(t, inv, newCaller("qa"), "claim_handoff", `{"waitSeconds":"30"}`)
		callTool(t, inv, newCaller("qa"), "claim_handoff", `{"wait_seconds":0}`)
		callTool(t, inv, newCaller("qa"), "claim_handoff", `{"tags":["await"]}`)
		have := scrapeMetrics(t, m)
		require.InDelta(t, 3, have[`handoff_calls_total{tool="claim_handoff",outcome="ok"}`], 0)
		require.InDelta(t, 2, have[`handoff_call_duration_seconds_count{tool="claim_handoff",outcome="ok",wait="no"}`], 0)
		require.InDelta(t, 0, have[`handoff_call_duration_seconds_sum{tool="claim_handoff",outcome="ok",wait="no"}`], 0)
		require.InDelta(t, 30, have[`handoff_call_duration_seconds_sum{tool="claim_handoff",outcome="ok",wait="yes"}`], 0)
		require.InDelta(t, 0, have[`handoff_call_duration_seconds_bucket{tool="claim_handoff",outcome="ok",wait="yes",le="5"}`], 0)
	})
}

func TestMetrics_CountUnknownToolsUnderOneName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		m := newMetrics(o.LocalInvoker)
		inv := m.WrapInvoker(o.LocalInvoker)
		for _, tool := range []string{"get_handoff", "nothing\n\"of\\this", "name"} {
			_, err := inv.Invoke(t.Context(), tools.Call{Tool: tool, Args: json.RawMessage(`{"handoff_id":"ho_9"}`)})
			require.Error(t, err)
		}
		m.CountDenied("token")
		m.CountDenied("token")
		have := scrapeMetrics(t, m)
		require.InDelta(t, 1, have[`handoff_calls_total{tool="get_handoff",outcome="not_found"}`], 0)
		require.InDelta(t, 2, have[`handoff_calls_total{tool="unknown",outcome="not_found"}`], 0)
		require.InDelta(t, 2, have[`handoff_denied_total{reason="token"}`], 0)
	})
}

func TestMetrics_CountTransitionsOfAllProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"before anybody watched"}`)
		m := newMetrics(o.LocalInvoker)
		unsteady := &failingChanges{o.LocalInvoker, 3}
		whileFollowing(t, func(ctx context.Context) { m.Follow(ctx, unsteady) }, func() {
			callTool(t, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"test it"}`)
			callTool(t, o, newCaller("qa"), "claim_handoff", `{}`)
			time.Sleep(time.Hour) // the lease ends
		})
		have := scrapeMetrics(t, m)
		require.InDelta(t, 1, have[`handoff_transitions_total{from="new",to="pending"}`], 0)
		require.InDelta(t, 1, have[`handoff_transitions_total{from="pending",to="accepted"}`], 0)
		require.InDelta(t, 1, have[`handoff_transitions_total{from="accepted",to="pending"}`], 0)
		require.InDelta(t, 1, have[`handoff_lease_expiries_total`], 0)
		require.Zero(t, unsteady.times+1, "it went on after each error")
	})
}

// hangingInvoker does not answer a call before the context of the call ends.
type hangingInvoker struct {
	tools.Invoker
}

func (*hangingInvoker) Invoke(ctx context.Context, _ tools.Call) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestMetrics_ShowOtherMetricsWhenStatisticsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMetrics(&hangingInvoker{})
		m.CountDenied("rate")
		begun := time.Now()
		have := scrapeMetrics(t, m)
		require.Zero(t, have["handoff_up"])
		require.Contains(t, have, "handoff_up")
		require.NotContains(t, have, "handoff_registry_events_total")
		require.InDelta(t, 1, have[`handoff_denied_total{reason="rate"}`], 0)
		require.Equal(t, 2*time.Second, time.Since(begun))
	})
}

type fixedStatsInvoker struct {
	tools.Invoker
	stats schemas.StatsOut
}

func (f fixedStatsInvoker) Invoke(context.Context, tools.Call) (json.RawMessage, error) {
	return json.Marshal(f.stats)
}

func TestMetrics_EscapeLabels(t *testing.T) {
	have := scrapeMetrics(t, newMetrics(fixedStatsInvoker{stats: schemas.StatsOut{
		Mailboxes: []schemas.MailboxStats{{Box: "a\"b\\c\nd", Pending: 1}},
	}}))
	require.InDelta(t, 1, have[`handoff_mailbox_pending{mailbox="a\"b\\c\nd"}`], 0)
	require.NotContains(t, have, `handoff_store_commit_duration_seconds_bucket{le="1"}`, "counted by other bounds")
}

var errFull = errors.New("full")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func TestMetricsWrite_ReturnsErrorOfWriter(t *testing.T) {
	require.ErrorIs(t, newMetrics(fixedStatsInvoker{}).Write(t.Context(), fullWriter{}), errFull)
}
