package telemetry

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// MetricsConfig wires [Metrics]. Invoker and Now are required.
type MetricsConfig struct {
	Invoker tools.Invoker // for the tool workspace_stats; not the invoker that counts calls
	Version string        // of this program
	Now     func() time.Time
	Logger  *slog.Logger // default: discards
}

// Metrics counts calls and events in this process and in the workspace. It is safe for use by many goroutines. Use
// [NewMetrics].
//
// Counters begin at zero with the process and are lost with it, as is usual with Prometheus. Figures of the workspace
// come from the store and are the same in every process. Labels are states, tools, codes, names of mailboxes and
// words of this program; no metric grows with the number of handoffs.
type Metrics struct {
	config MetricsConfig
	stats  statsCache

	mu        sync.Mutex                         // guards the fields below
	counts    map[metricFamily]map[string]uint64 // by labels
	latencies map[callKey]*schemas.LatencyHistogram
}

// NewMetrics returns counters that are zero.
//
// It starts nothing: [Metrics.Follow] counts events, and [Metrics.WrapInvoker] counts calls.
func NewMetrics(c MetricsConfig) *Metrics {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Metrics{
		config: c, stats: statsCache{config: c}, latencies: map[callKey]*schemas.LatencyHistogram{},
		counts: map[metricFamily]map[string]uint64{
			calls: {}, transitions: {}, denied: {},
			expiries: {"": 0}, denials: {"": 0}, // shown as zero before the first
		},
	}
}

func (m *Metrics) increment(f metricFamily, pairs ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[f][formatLabels(pairs...)]++
}

// WrapInvoker returns an invoker that passes calls to next and counts them, with their durations.
//
// It passes results and errors on unchanged. An unknown tool counts under the name unknown, so that callers cannot
// make metrics of their own.
func (m *Metrics) WrapInvoker(next tools.Invoker) tools.Invoker { return countingInvoker{next, m} }

// CountDenied counts a request that was refused before it became a call. Each reason is a metric of its own, so callers
// use only a few, and none that a client wrote.
func (m *Metrics) CountDenied(reason string) {
	m.increment(denied, "reason", reason)
}

// Follow counts the events of handoffs from now on, in all processes, until ctx is done. Events that come while the
// registry cannot be read are counted afterwards.
//
// It blocks. It is called once: two followers would count each event twice.
func (m *Metrics) Follow(ctx context.Context, inv tools.Invoker) {
	followRegistry(ctx, inv, m.config.Logger, func(_ context.Context, c schemas.RegistryChange) error {
		m.countChange(c)
		return nil
	})
}

// The events that have counters of their own.
const (
	leaseEnded     = "lease_ended"
	attemptsUsedUp = "attempts_used_up"
	identityDenied = "denied"
)

// countChange counts one event. An event that changed no state, such as progress, counts as no transition; the first
// event of a handoff counts as one from "new".
func (m *Metrics) countChange(c schemas.RegistryChange) {
	switch c.Action {
	case leaseEnded, attemptsUsedUp:
		m.increment(expiries)
	case identityDenied:
		m.increment(denials)
	}
	if c.From != c.To {
		m.increment(transitions, "from", cmp.Or(string(c.From), "new"), "to", string(c.To))
	}
}

// callKey is the key of durations.
type callKey struct {
	tool    string
	outcome string // "ok", or the code of the error
	wait    string // "yes" for a call that asked to wait, so that its duration says nothing about the server; else "no"
}

// countingInvoker is the invoker of [Metrics.WrapInvoker].
type countingInvoker struct {
	tools.Invoker
	metrics *Metrics
}

// Invoke measures the whole call.
func (i countingInvoker) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	begun := i.metrics.config.Now()
	result, err := i.Invoker.Invoke(ctx, c)
	i.metrics.countCall(c, err, i.metrics.config.Now().Sub(begun).Seconds())
	return result, err
}

// countCall counts one call and its duration in seconds.
func (m *Metrics) countCall(c tools.Call, err error, seconds float64) {
	key := callKey{tool: "unknown", outcome: "ok", wait: "no"}
	if t, unknown := tools.FindTool(c.Tool); unknown == nil {
		if key.tool = t.Name; t.AsksToWait(c.Args) {
			key.wait = "yes"
		}
	}
	if err != nil {
		key.outcome = string(schemas.AsError(err).Code)
	}
	m.increment(calls, "tool", key.tool, "outcome", key.outcome)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.latencies[key] == nil {
		m.latencies[key] = new(schemas.NewLatencyHistogram())
	}
	m.latencies[key].Add(seconds)
}

const (
	statsTTL     = 5 * time.Second // how long the statistics of the workspace are kept
	statsTimeout = 2 * time.Second // how long reading them may take
)

// statsCache keeps the statistics of the workspace for a moment, so that their cost does not grow with the readers.
type statsCache struct {
	config MetricsConfig

	mu    sync.Mutex // guards the fields below; held while they are read
	at    time.Time
	stats *schemas.StatsOut // nil when they could not be read
}

// readStats returns the statistics, nil if they cannot be read. It takes at most statsTimeout. The end of ctx does not end
// the call to the workspace, because other readers may wait for the same statistics.
//
// A failure is kept as long as a success, so an owner that does not answer is asked once in five seconds for any
// number of readers.
func (f *statsCache) readStats(ctx context.Context) *schemas.StatsOut {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := f.config.Now().Sub(f.at); !f.at.IsZero() && age >= 0 && age < statsTTL {
		return f.stats
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statsTimeout)
	defer cancel()
	call := tools.Call{Tool: "workspace_stats"}
	stats, err := tools.InvokeTyped[schemas.StatsOut](ctx, f.config.Invoker, call, schemas.StatsIn{})
	f.stats = &stats
	if err != nil {
		f.config.Logger.WarnContext(ctx, "no figures of the workspace", slog.Any("cause", err))
		f.stats = nil
	}
	f.at = f.config.Now()
	return f.stats
}
