package telemetry

import (
	"bytes"
	"context"
	_ "embed"
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

// families is the text of the table of the metrics, which explains itself.
//
//go:embed metrics.txt
var families string

// The metrics that this process counts.
const (
	calls       = "handoff_calls_total"
	transitions = "handoff_transitions_total"
	expiries    = "handoff_lease_expiries_total"
	denied      = "handoff_denied_total"
	denials     = "handoff_denied_events_total"
)

// Write writes all metrics in the text format of Prometheus. It takes about two seconds at most. If the statistics of
// the workspace cannot be read, handoff_up is 0 and the other metrics are written. The error comes from w.
//
// The text is composed in memory first, so w never gets a part of it. The order of metrics and labels is fixed.
func (m *Metrics) Write(ctx context.Context, w io.Writer) error {
	var p metricsPage
	p.writeWorkspace(m.readStats(ctx), m)
	p.writeProcessCounts(m)
	p.writeSingle("handoff_build_info", formatLabels("goversion", runtime.Version(), "version", m.config.Version), 1)
	metrics.WriteProcessMetrics(&p)
	metrics.WriteFDMetrics(&p)
	_, err := w.Write(p.Bytes())
	return err
}

// metricsPage is the text that Write composes.
type metricsPage struct {
	bytes.Buffer
	metric string // the name of the last head
}

// writeHead writes the two lines that come before the samples of a metric.
func (p *metricsPage) writeHead(metric string) {
	_, row, _ := strings.Cut(families, "\n"+metric+" ")
	row, _, _ = strings.Cut(row, "\n")
	kind, help, _ := strings.Cut(row, " ")
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", metric, help, metric, kind)
	p.metric = metric
}

// writeSample writes one line of the metric of the last head. Labels is empty, or a result of formatLabels. A histogram
// has an ending of the name before it.
func (p *metricsPage) writeSample(labels string, value float64) {
	fmt.Fprintf(p, "%s%s %s\n", p.metric, labels, strconv.FormatFloat(value, 'g', -1, 64))
}

// writeSingle writes a metric of one sample.
func (p *metricsPage) writeSingle(metric, labels string, value float64) {
	p.writeHead(metric)
	p.writeSample(labels, value)
}

// writeWorkspace writes the statistics of the workspace, which are nil if they could not be read. It writes no age for
// a mailbox without claimable handoffs. It writes a negative age as zero, because the sender's clock may be ahead.
func (p *metricsPage) writeWorkspace(stats *schemas.StatsOut, m *Metrics) {
	if stats == nil {
		p.writeSingle("handoff_up", "", 0)
		return
	}
	p.writeSingle("handoff_up", "", 1)
	p.writeHead("handoff_handoffs")
	for _, state := range schemas.Statuses {
		p.writeSample(formatLabels("state", string(state)), float64(stats.States[state]))
	}
	p.writeHead("handoff_mailbox_pending")
	for _, box := range stats.Mailboxes {
		p.writeSample(formatLabels("mailbox", string(box.Box)), float64(box.Pending))
	}
	p.writeHead("handoff_mailbox_oldest_pending_seconds")
	for _, box := range stats.Mailboxes {
		if !box.Oldest.IsZero() {
			age := max(0, m.config.Now().Sub(box.Oldest).Seconds())
			p.writeSample(formatLabels("mailbox", string(box.Box)), age)
		}
	}
	p.writeSingle("handoff_registry_events_total", "", float64(stats.Event))
	p.writeHead("handoff_store_commit_duration_seconds")
	p.writeHistogram("", stats.Commits)
}

// writeProcessCounts writes the counts of this process.
func (p *metricsPage) writeProcessCounts(m *Metrics) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.writeCounters(calls, m)
	p.writeHead("handoff_call_duration_seconds")
	for _, labels := range slices.Sorted(maps.Keys(m.latencies)) {
		p.writeHistogram(labels, *m.latencies[labels])
	}
	for _, f := range []string{transitions, expiries, denied, denials} {
		p.writeCounters(f, m)
	}
}

func (p *metricsPage) writeCounters(f string, m *Metrics) {
	p.writeHead(f)
	for _, labels := range slices.Sorted(maps.Keys(m.counts[f])) {
		fmt.Fprintf(p, "%s%s %d\n", f, labels, m.counts[f][labels])
	}
}

// writeHistogram writes a histogram of durations. Labels is empty, or a result of formatLabels. An owner of another
// version may count with other bounds. Then only the total is written, in the last bucket.
func (p *metricsPage) writeHistogram(labels string, l schemas.LatencyHistogram) {
	bucket := func(le string) string {
		return "_bucket{" + strings.TrimPrefix(strings.Trim(labels, "{}")+`,le="`+le+`"}`, ",")
	}
	if bounds := schemas.LatencyBounds(); len(l.Buckets) == len(bounds) {
		for i, bound := range bounds {
			p.writeSample(bucket(strconv.FormatFloat(bound, 'g', -1, 64)), float64(l.Buckets[i]))
		}
	}
	p.writeSample(bucket("+Inf"), float64(l.Count))
	p.writeSample("_sum"+labels, l.Seconds)
	p.writeSample("_count"+labels, float64(l.Count))
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
