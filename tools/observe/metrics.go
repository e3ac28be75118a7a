package observe

import (
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
type Metrics struct {
	config MetricsConfig
	calls  sync.Map // from call to *latency
	stats  statsCache

	transitions, expiries, denied, denials *metrics.Set // one for each family
}

// NewMetrics returns counters that are zero.
func NewMetrics(c MetricsConfig) *Metrics {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{
		config: c, stats: statsCache{config: c},
		transitions: metrics.NewSet(), expiries: metrics.NewSet(), denied: metrics.NewSet(), denials: metrics.NewSet(),
	}
	m.expiries.NewCounter(expiryFamily.name) // shown as zero before the first
	m.denials.NewCounter(denialFamily.name)
	return m
}

// Invoker returns an invoker that passes calls to next and counts them, with how long they take.
func (m *Metrics) Invoker(next tools.Invoker) tools.Invoker { return counting{next, m} }

// Denied counts a request that was refused before it became a call. The reason is a word of a-z and _ with at most 32
// bytes; any other text counts as "other". Each reason is a metric of its own, so callers use only a few.
func (m *Metrics) Denied(reason string) {
	if !isWord(reason) {
		reason = "other"
	}
	m.denied.GetOrCreateCounter(deniedFamily.name + labels("reason", reason)).Inc()
}

func isWord(word string) bool {
	for _, c := range word {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return word != "" && len(word) <= 32
}

// Follow counts the events of handoffs from now on, in all processes, until ctx is done. Events that come while the
// registry cannot be read are counted afterwards.
func (m *Metrics) Follow(ctx context.Context, inv tools.Invoker) {
	follow(ctx, inv, m.config.Logger, func(c schemas.Change) error {
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

// call is the key by which calls are counted.
type call struct {
	tool    string
	outcome string // "ok", or the code of the error
	waited  bool   // it asked to wait, so its duration says nothing about the server
}

type counting struct {
	tools.Invoker
	metrics *Metrics
}

// Invoke measures the whole call.
func (i counting) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	begun := i.metrics.config.Now()
	result, err := i.Invoker.Invoke(ctx, c)
	i.metrics.count(c, err, i.metrics.config.Now().Sub(begun))
	return result, err
}

func (m *Metrics) count(c tools.Call, err error, took time.Duration) {
	key := call{tool: "unknown", outcome: "ok"}
	if t, unknown := tools.Find(c.Tool); unknown == nil {
		key.tool, key.waited = t.Name, waits(t, c.Args)
	}
	if err != nil {
		key.outcome = string(schemas.AsError(err).Code)
	}
	counted, known := m.calls.Load(key)
	if !known {
		counted, _ = m.calls.LoadOrStore(key, &latency{})
	}
	counted.(*latency).add(took)
}
