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

// MetricsConfig says what to measure. Invoker and Now are required.
type MetricsConfig struct {
	Invoker tools.Invoker // asked for figures of the workspace; not one that counts calls
	Version string        // of this program
	Now     func() time.Time
	Logger  *slog.Logger // default: discards
}

// Metrics counts what happens in this process and in the workspace. Its methods may be called concurrently.
type Metrics struct {
	config  MetricsConfig
	calls   sync.Map // from call to *latency
	figures figures

	transitions, expiries, denied, denials *metrics.Set // one for each family
}

// NewMetrics begins to count at zero.
func NewMetrics(c MetricsConfig) *Metrics {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{
		config: c, figures: figures{config: c},
		transitions: metrics.NewSet(), expiries: metrics.NewSet(), denied: metrics.NewSet(), denials: metrics.NewSet(),
	}
	m.expiries.NewCounter(expiryFamily.name) // what never happened is shown as zero
	m.denials.NewCounter(denialFamily.name)
	return m
}

// Invoker counts the calls that are made through next, and how long they take.
func (m *Metrics) Invoker(next tools.Invoker) tools.Invoker { return counting{next, m} }

// Denied counts a request that was turned away before it became a call. The reason is a word of a-z and _, one
// of a few that are known; any other text counts as "other".
func (m *Metrics) Denied(reason string) {
	if !plain(reason) {
		reason = "other"
	}
	m.denied.GetOrCreateCounter(deniedFamily.name + labels("reason", reason)).Inc()
}

func plain(word string) bool {
	for _, c := range word {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return word != "" && len(word) <= 32
}

// Follow counts what happens to handoffs from now on, whoever does it, until ctx is done. What happens while
// the registry cannot be read is counted afterwards.
func (m *Metrics) Follow(ctx context.Context, inv tools.Invoker) {
	follow(ctx, inv, m.config.Logger, func(c schemas.Change) error {
		m.happened(c)
		return nil
	})
}

// The names of events that are counted by themselves.
const (
	leaseEnded     = "lease_ended"
	attemptsUsedUp = "attempts_used_up"
	identityDenied = "denied"
)

func (m *Metrics) happened(c schemas.Change) {
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

// call is what calls are told apart by.
type call struct {
	tool    string
	outcome string // "ok", or the code of the error
	waited  bool   // it was allowed to wait, so how long it took says nothing about the server
}

type counting struct {
	tools.Invoker
	metrics *Metrics
}

// Invoke measures the whole of the call.
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
