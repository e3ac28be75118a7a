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

// MetricsConfig holds the settings of [Metrics]. Invoker and Now are required.
type MetricsConfig struct {
	Invoker tools.Invoker // for the tool workspace_stats; not the invoker that counts calls
	Version string        // of this program
	Now     func() time.Time
	Logger  *slog.Logger // default: discards
}

// Metrics counts calls and events in this process, and shows statistics of the workspace. Many goroutines may use it.
// Use [NewMetrics].
//
// Counters begin at zero when the process starts. Statistics of the workspace come from the store and are the same in
// every process. Labels are states, tools, error codes, names of mailboxes and fixed words, so the number of metrics
// does not grow with the number of handoffs.
type Metrics struct {
	config MetricsConfig

	mu        sync.Mutex                           // guards the fields below
	counts    map[string]map[string]uint64         // by metric and labels
	latencies map[string]*schemas.LatencyHistogram // of calls, by labels
}

// NewMetrics returns counters that are zero. It starts nothing. [Metrics.Follow] counts events, and the invoker of
// [Metrics.WrapInvoker] counts calls.
func NewMetrics(c MetricsConfig) *Metrics {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Metrics{
		config: c, latencies: map[string]*schemas.LatencyHistogram{},
		counts: map[string]map[string]uint64{
			calls: {}, transitions: {}, denied: {},
			expiries: {"": 0}, denials: {"": 0}, // shown as zero before the first
		},
	}
}

func (m *Metrics) increment(metric string, pairs ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[metric][formatLabels(pairs...)]++
}

// WrapInvoker returns an invoker that passes calls to next and counts them, with their durations. Results and errors
// stay unchanged. All unknown tools count under the name unknown, so that callers cannot add metrics.
func (m *Metrics) WrapInvoker(next tools.Invoker) tools.Invoker { return countingInvoker{next, m} }

// CountDenied counts a request that was refused before it became a call. Each reason is a metric, so the reason must be
// one of a few fixed words, and never a text from a client.
func (m *Metrics) CountDenied(reason string) {
	m.increment(denied, "reason", reason)
}

// Follow counts the events of handoffs from now on, in all processes. It blocks until ctx is done, and is called once,
// because two followers would count each event twice. If the registry cannot be read for a while, Follow counts the
// missed events later.
func (m *Metrics) Follow(ctx context.Context, inv tools.Invoker) {
	followRegistry(ctx, inv, m.config.Logger, func(_ context.Context, c schemas.RegistryChange) error {
		m.countChange(c)
		return nil
	})
}

// countChange counts one event. An event that changed no state, such as progress, is no transition. The first event of
// a handoff is a transition from "new".
func (m *Metrics) countChange(c schemas.RegistryChange) {
	switch c.Action {
	case "lease_ended", "attempts_used_up":
		m.increment(expiries)
	case "denied":
		m.increment(denials)
	}
	if c.From != c.To {
		m.increment(transitions, "from", cmp.Or(string(c.From), "new"), "to", string(c.To))
	}
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
	tool, outcome, wait := "unknown", "ok", "no"
	if t, unknown := tools.FindTool(c.Tool); unknown == nil {
		if tool = t.Name; t.AsksToWait(c.Args) {
			wait = "yes" // its duration says nothing about the server
		}
	}
	if err != nil {
		outcome = string(schemas.AsError(err).Code)
	}
	m.increment(calls, "tool", tool, "outcome", outcome)
	labels := formatLabels("tool", tool, "outcome", outcome, "wait", wait)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.latencies[labels] == nil {
		m.latencies[labels] = new(schemas.NewLatencyHistogram())
	}
	m.latencies[labels].Add(seconds)
}

// statsTimeout is the time limit for reading the statistics of the workspace.
const statsTimeout = 2 * time.Second

// readStats returns the statistics of the workspace, or nil if they cannot be read within two seconds. The owner of the
// store keeps the numbers that take long to count, see [handoff/mailbox/registry.Registry.Stats].
func (m *Metrics) readStats(ctx context.Context) *schemas.StatsOut {
	ctx, cancel := context.WithTimeout(ctx, statsTimeout)
	defer cancel()
	call := tools.Call{Tool: "workspace_stats"}
	stats, err := tools.InvokeTyped[schemas.StatsOut](ctx, m.config.Invoker, call, schemas.StatsIn{})
	if err != nil {
		m.config.Logger.WarnContext(ctx, "no figures of the workspace", slog.Any("cause", err))
		return nil
	}
	return &stats
}
