package observe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"handoff/schemas"
	"handoff/tools"
)

// MetricsConfig wires [Metrics]. Invoker and Now are required.
type MetricsConfig struct {
	Invoker tools.Invoker // for the tool workspace_stats; not the one that counts calls
	Version string        // of this program
	Now     func() time.Time
	Logger  *slog.Logger // default: discards
}

// Metrics counts what happens in this process and in the workspace. It is safe for use by many goroutines. Use
// [NewMetrics].
//
// Counters begin at zero with the process and are lost with it, as is usual with Prometheus. Figures of the workspace
// come from the store and are the same in every process. Labels are states, tools, codes, names of mailboxes and words
// of this program; no metric grows with the number of handoffs.
type Metrics struct {
	config MetricsConfig
	stats  statsCache

	calls, transitions, expiries, denied, denials *metrics.Set // one for each family

	mu   sync.Mutex // guards the field below
	took map[call]*schemas.Latency
}

// NewMetrics returns counters that are zero.
//
// It starts nothing: [Metrics.Follow] counts events, and [Metrics.Invoker] counts calls.
func NewMetrics(c MetricsConfig) *Metrics {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	m := &Metrics{
		config: c, stats: statsCache{config: c}, took: map[call]*schemas.Latency{},
		calls: metrics.NewSet(), transitions: metrics.NewSet(), expiries: metrics.NewSet(),
		denied: metrics.NewSet(), denials: metrics.NewSet(),
	}
	m.expiries.NewCounter(expiryFamily.name) // shown as zero before the first
	m.denials.NewCounter(denialFamily.name)
	return m
}

// Invoker returns an invoker that passes calls to next and counts them, with how long they take.
//
// Results and errors are passed on as they are. A tool that does not exist counts under the name unknown, so that
// callers cannot make metrics of their own.
func (m *Metrics) Invoker(next tools.Invoker) tools.Invoker { return counting{next, m} }

// Denied counts a request that was refused before it became a call. Each reason is a metric of its own, so callers use
// only a few, and none that a client wrote.
func (m *Metrics) Denied(reason string) {
	m.denied.GetOrCreateCounter(deniedFamily.name + labels("reason", reason)).Inc()
}

// Follow counts the events of handoffs from now on, in all processes, until ctx is done. Events that come while the
// registry cannot be read are counted afterwards.
//
// It blocks. It is called once: two followers would count each event twice.
func (m *Metrics) Follow(ctx context.Context, inv tools.Invoker) {
	follow(ctx, inv, m.config.Logger, func(_ context.Context, c schemas.Change) error {
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
func (m *Metrics) countChange(c schemas.Change) {
	switch c.Action {
	case leaseEnded, attemptsUsedUp:
		m.expiries.GetOrCreateCounter(expiryFamily.name).Inc()
	case identityDenied:
		m.denials.GetOrCreateCounter(denialFamily.name).Inc()
	}
	if c.From == c.To {
		return
	}
	from := c.From
	if from == "" {
		from = "new"
	}
	m.transitions.GetOrCreateCounter(transitionFamily.name + labels("from", string(from), "to", string(c.To))).Inc()
}

// call is the key by which durations are kept.
type call struct {
	tool    string
	outcome string // "ok", or the code of the error
	wait    string // "yes" for a call that asked to wait, so that its duration says nothing about the server; else "no"
}

// counting is the invoker of [Metrics.Invoker].
type counting struct {
	tools.Invoker
	metrics *Metrics
}

// Invoke measures the whole call.
func (i counting) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	begun := i.metrics.config.Now()
	result, err := i.Invoker.Invoke(ctx, c)
	i.metrics.count(c, err, i.metrics.config.Now().Sub(begun).Seconds())
	return result, err
}

// count counts one call that took so many seconds by Config.Now.
func (m *Metrics) count(c tools.Call, err error, seconds float64) {
	key := call{tool: "unknown", outcome: "ok", wait: "no"}
	if t, unknown := tools.Find(c.Tool); unknown == nil {
		if key.tool = t.Name; waits(t, c.Args) {
			key.wait = "yes"
		}
	}
	if err != nil {
		key.outcome = string(schemas.AsError(err).Code)
	}
	m.calls.GetOrCreateCounter(callFamily.name + labels("tool", key.tool, "outcome", key.outcome)).Inc()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.took[key] == nil {
		m.took[key] = &schemas.Latency{Buckets: make([]uint64, len(schemas.LatencyBounds()))}
	}
	addTo(m.took[key], max(0, seconds)) // a clock may be set back
}

// addTo adds one duration. Each bucket has all durations up to its bound.
func addTo(l *schemas.Latency, seconds float64) {
	l.Count++
	l.Seconds += seconds
	for i, bound := range schemas.LatencyBounds() {
		if seconds <= bound {
			l.Buckets[i]++
		}
	}
}

// waits reports whether a call asks to wait. Only a few do, and their arguments are small.
func waits(t tools.Tool, args json.RawMessage) bool {
	if !bytes.Contains(bytes.ToLower(args[:min(len(args), longestWait)]), []byte("wait")) {
		return false
	}
	canonical, err := t.Canonical(args)
	if err != nil {
		return false
	}
	var in struct {
		WaitSeconds int `json:"wait_seconds"`
	}
	return json.Unmarshal(canonical, &in) == nil && in.WaitSeconds > 0
}

// longestWait is how many bytes of arguments are searched; calls that wait have fewer.
const longestWait = 4 << 10
