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

// family is all metrics of one name.
//
// A name never changes once released: dashboards and alerts name it. Kind is a type of the Prometheus text format.
// Help is one line.
type family struct{ name, kind, help string }

// The families. A histogram has the bounds of [schemas.LatencyBounds].
var (
	up = gauge("handoff_up", "Whether the workspace gave its figures: "+
		"without them those about handoffs, mailboxes and commits are missing.")
	build   = gauge("handoff_build_info", "The version of this program, always 1.")
	states  = gauge("handoff_handoffs", "Handoffs by state; those that have ended are counted once a minute.")
	pending = gauge("handoff_mailbox_pending",
		"Handoffs that may be claimed from a mailbox, for the 200 mailboxes with most.")
	oldest = gauge("handoff_mailbox_oldest_pending_seconds",
		"Age of the oldest handoff that may be claimed from a mailbox.")
	events  = counter("handoff_registry_events_total", "Events in the registry.")
	commits = histogram("handoff_store_commit_duration_seconds",
		"How long changes took until they were durable, since the owner of the store opened it.")
	calls     = counter("handoff_calls_total", "Calls of tools, by tool and outcome: ok, or the code of the error.")
	durations = histogram("handoff_call_duration_seconds",
		"How long calls of tools took; with wait yes those that asked to wait until something comes.")
	transitions = counter("handoff_transitions_total",
		"Changes of state of handoffs since this server began, by anybody.")
	expiries = counter("handoff_lease_expiries_total", "Claims that ended by silence since this server began.")
	denied   = counter("handoff_denied_total", "Requests that this server turned away, by reason.")
	denials  = counter("handoff_denied_events_total",
		"Events of the registry about an identity that was refused, since this server began.")
)

func gauge(name, help string) family     { return family{name, "gauge", help} }
func counter(name, help string) family   { return family{name, "counter", help} }
func histogram(name, help string) family { return family{name, "histogram", help} }

// Write writes all metrics in the text format of Prometheus. If the statistics of the workspace cannot be read, it
// writes the others, and handoff_up as 0. It takes about two seconds at most. Its error comes from w.
//
// The text is composed in memory first, so w never gets half of a page. Families come in a fixed order and samples in
// the order of their labels. Process metrics come from the library, under its names.
func (m *Metrics) Write(ctx context.Context, w io.Writer) error {
	var p page
	p.workspace(m.stats.read(ctx), m)
	p.processCounts(m)
	p.single(build, labels("goversion", runtime.Version(), "version", m.config.Version), 1)
	metrics.WriteProcessMetrics(&p)
	metrics.WriteFDMetrics(&p)
	_, err := w.Write(p.Bytes())
	return err
}

// page is the text that Write composes.
type page struct{ bytes.Buffer }

// head writes the two lines that come before the samples of a family.
func (p *page) head(f family) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
}

// sample writes one line. Labels are empty or as labels writes them.
func (p *page) sample(name, labels string, value float64) {
	fmt.Fprintf(p, "%s%s %s\n", name, labels, strconv.FormatFloat(value, 'g', -1, 64))
}

// single writes a family of one sample.
func (p *page) single(f family, labels string, value float64) {
	p.head(f)
	p.sample(f.name, labels, value)
}

// workspace writes the statistics of the workspace, nil if they could not be read.
//
// A mailbox without claimable handoffs has no age. The clock of this process may be behind the clock of the sender;
// then the age is zero and not negative.
func (p *page) workspace(stats *schemas.StatsOut, m *Metrics) {
	if stats == nil {
		p.single(up, "", 0)
		return
	}
	p.single(up, "", 1)
	p.head(states)
	for _, state := range schemas.Statuses {
		p.sample(states.name, labels("state", string(state)), float64(stats.States[state]))
	}
	p.head(pending)
	for _, box := range stats.Mailboxes {
		p.sample(pending.name, labels("mailbox", string(box.Box)), float64(box.Pending))
	}
	p.head(oldest)
	for _, box := range stats.Mailboxes {
		if !box.Oldest.IsZero() {
			age := max(0, m.config.Now().Sub(box.Oldest).Seconds())
			p.sample(oldest.name, labels("mailbox", string(box.Box)), age)
		}
	}
	p.single(events, "", float64(stats.Event))
	p.head(commits)
	p.histogram(commits.name, stats.Commits)
}

// processCounts writes the counts of this process.
func (p *page) processCounts(m *Metrics) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.counters(calls, m)
	p.head(durations)
	for _, c := range slices.SortedFunc(maps.Keys(m.latencies), compareCalls) {
		p.histogram(durations.name, *m.latencies[c], "tool", c.tool, "outcome", c.outcome, "wait", c.wait)
	}
	for _, f := range []family{transitions, expiries, denied, denials} {
		p.counters(f, m)
	}
}

func (p *page) counters(f family, m *Metrics) {
	p.head(f)
	for _, labels := range slices.Sorted(maps.Keys(m.counts[f])) {
		fmt.Fprintf(p, "%s%s %d\n", f.name, labels, m.counts[f][labels])
	}
}

func compareCalls(a, b call) int {
	return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.wait, b.wait))
}

// histogram writes durations. The durations from an owner of another version, which counts by other bounds, have no
// buckets except the last.
func (p *page) histogram(name string, l schemas.Latency, pairs ...string) {
	bounds := schemas.LatencyBounds()
	if len(l.Buckets) == len(bounds) {
		for i, bound := range bounds {
			le := strconv.FormatFloat(bound, 'g', -1, 64)
			p.sample(name+"_bucket", labels(append(pairs, "le", le)...), float64(l.Buckets[i]))
		}
	}
	p.sample(name+"_bucket", labels(append(pairs, "le", "+Inf")...), float64(l.Count))
	p.sample(name+"_sum", labels(pairs...), l.Seconds)
	p.sample(name+"_count", labels(pairs...), float64(l.Count))
}

// labels writes pairs of names and values. Values may be any text.
func labels(pairs ...string) string {
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
