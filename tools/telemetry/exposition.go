package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/VictoriaMetrics/metrics"

	"handoff/schemas"
)

// metricFamily describes all metrics of one name. The name never changes after a release, because dashboards and alerts
// use it. Kind is a type of the Prometheus text format. Help is one line.
type metricFamily struct{ name, kind, help string }

// The families. A histogram has the bounds of [schemas.LatencyBounds].
var (
	up = newGauge("handoff_up", "Whether the workspace gave its figures: "+
		"without them those about handoffs, mailboxes and commits are missing.")
	build   = newGauge("handoff_build_info", "The version of this program, always 1.")
	states  = newGauge("handoff_handoffs", "Handoffs by state; those that have ended are counted once a minute.")
	pending = newGauge("handoff_mailbox_pending",
		"Handoffs that may be claimed from a mailbox, for the 200 mailboxes with most.")
	oldest = newGauge("handoff_mailbox_oldest_pending_seconds",
		"Age of the oldest handoff that may be claimed from a mailbox.")
	events  = newCounter("handoff_registry_events_total", "Events in the registry.")
	commits = newHistogram("handoff_store_commit_duration_seconds",
		"How long changes took until they were durable, since the owner of the store opened it.")
	calls     = newCounter("handoff_calls_total", "Calls of tools, by tool and outcome: ok, or the code of the error.")
	durations = newHistogram("handoff_call_duration_seconds",
		"How long calls of tools took; with wait yes those that asked to wait until something comes.")
	transitions = newCounter("handoff_transitions_total",
		"Changes of state of handoffs since this server began, by anybody.")
	expiries = newCounter("handoff_lease_expiries_total", "Claims that ended by silence since this server began.")
	denied   = newCounter("handoff_denied_total", "Requests that this server turned away, by reason.")
	denials  = newCounter("handoff_denied_events_total",
		"Events of the registry about an identity that was refused, since this server began.")
)

func newGauge(name, help string) metricFamily     { return metricFamily{name, "gauge", help} }
func newCounter(name, help string) metricFamily   { return metricFamily{name, "counter", help} }
func newHistogram(name, help string) metricFamily { return metricFamily{name, "histogram", help} }

// Write writes all metrics in the text format of Prometheus. It takes about two seconds at most. If the statistics of
// the workspace cannot be read, handoff_up is 0 and the other metrics are written. The error comes from w.
//
// The text is composed in memory first, so w never gets a part of it. The order of metrics and labels is fixed.
func (m *Metrics) Write(ctx context.Context, w io.Writer) error {
	var p metricsPage
	p.writeWorkspace(m.readStats(ctx), m)
	p.writeProcessCounts(m)
	p.writeSingle(build, formatLabels("goversion", runtime.Version(), "version", m.config.Version), 1)
	metrics.WriteProcessMetrics(&p)
	metrics.WriteFDMetrics(&p)
	_, err := w.Write(p.Bytes())
	return err
}

// metricsPage is the text that Write composes.
type metricsPage struct{ bytes.Buffer }

// writeHead writes the two lines that come before the samples of a family.
func (p *metricsPage) writeHead(f metricFamily) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
}

// writeSample writes one line. Labels is empty, or a result of formatLabels.
func (p *metricsPage) writeSample(name, labels string, value float64) {
	fmt.Fprintf(p, "%s%s %s\n", name, labels, strconv.FormatFloat(value, 'g', -1, 64))
}

// writeSingle writes a family of one sample.
func (p *metricsPage) writeSingle(f metricFamily, labels string, value float64) {
	p.writeHead(f)
	p.writeSample(f.name, labels, value)
}

// writeWorkspace writes the statistics of the workspace, which are nil if they could not be read. It writes no age for
// a mailbox without claimable handoffs. It writes a negative age as zero, because the sender's clock may be ahead.
func (p *metricsPage) writeWorkspace(stats *schemas.StatsOut, m *Metrics) {
	if stats == nil {
		p.writeSingle(up, "", 0)
		return
	}
	p.writeSingle(up, "", 1)
	p.writeHead(states)
	for _, state := range schemas.Statuses {
		p.writeSample(states.name, formatLabels("state", string(state)), float64(stats.States[state]))
	}
	p.writeHead(pending)
	for _, box := range stats.Mailboxes {
		p.writeSample(pending.name, formatLabels("mailbox", string(box.Box)), float64(box.Pending))
	}
	p.writeHead(oldest)
	for _, box := range stats.Mailboxes {
		if !box.Oldest.IsZero() {
			age := max(0, m.config.Now().Sub(box.Oldest).Seconds())
			p.writeSample(oldest.name, formatLabels("mailbox", string(box.Box)), age)
		}
	}
	p.writeSingle(events, "", float64(stats.Event))
	p.writeHead(commits)
	p.writeHistogram(commits.name, stats.Commits)
}

// writeProcessCounts writes the counts of this process.
func (p *metricsPage) writeProcessCounts(m *Metrics) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.writeCounters(calls, m)
	p.writeHead(durations)
	for _, c := range slices.SortedFunc(maps.Keys(m.latencies), compareCalls) {
		p.writeHistogram(durations.name, *m.latencies[c], "tool", c.tool, "outcome", c.outcome, "wait", c.wait)
	}
	for _, f := range []metricFamily{transitions, expiries, denied, denials} {
		p.writeCounters(f, m)
	}
}

func (p *metricsPage) writeCounters(f metricFamily, m *Metrics) {
	p.writeHead(f)
	for _, labels := range slices.Sorted(maps.Keys(m.counts[f])) {
		fmt.Fprintf(p, "%s%s %d\n", f.name, labels, m.counts[f][labels])
	}
}

func compareCalls(a, b callKey) int {
	return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.wait, b.wait))
}

// writeHistogram writes a histogram of durations. An owner of another version may count with other bounds. Then only
// the total is written, in the last bucket.
func (p *metricsPage) writeHistogram(name string, l schemas.LatencyHistogram, pairs ...string) {
	bounds := schemas.LatencyBounds()
	if len(l.Buckets) == len(bounds) {
		for i, bound := range bounds {
			le := strconv.FormatFloat(bound, 'g', -1, 64)
			p.writeSample(name+"_bucket", formatLabels(append(pairs, "le", le)...), float64(l.Buckets[i]))
		}
	}
	p.writeSample(name+"_bucket", formatLabels(append(pairs, "le", "+Inf")...), float64(l.Count))
	p.writeSample(name+"_sum", formatLabels(pairs...), l.Seconds)
	p.writeSample(name+"_count", formatLabels(pairs...), float64(l.Count))
}

// formatLabels writes pairs of names and values. Values may be any text.
func formatLabels(pairs ...string) string {
	if len(pairs) == 0 {
		return ""
	}
	var b strings.Builder
	for pair := range slices.Chunk(pairs, 2) {
		fmt.Fprintf(&b, `,%s="%s"`, pair[0], labelEscaper.Replace(pair[1]))
	}
	return "{" + b.String()[1:] + "}"
}

// labelEscaper writes a value as the format requires: a backslash before backslashes and quotes, and no line break.
var labelEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
