package telemetry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
)

// TracesConfig wires [Traces]. Getenv, Workspace and Now are required.
type TracesConfig struct {
	// Getenv reads the environment. It is called for these variables of the OpenTelemetry specification:
	// OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER (only the value "none" has an effect), and ENDPOINT, HEADERS, TIMEOUT and
	// PROTOCOL with the prefix OTEL_EXPORTER_OTLP_TRACES_ or OTEL_EXPORTER_OTLP_. The protocol is always http/json,
	// even if PROTOCOL names another. The SDK reads the others from the environment of the process: OTEL_SERVICE_NAME,
	// OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_BSP_… (limits of its queue) and
	// OTEL_SPAN_… (limits of a span).
	Getenv func(string) string

	Workspace string // its name, which is part of all ids
	Version   string // of this program
	Now       func() time.Time
	Transport http.RoundTripper // to the collector; default: one of its own
	Logger    *slog.Logger      // default: discards
}

// Traces sends spans to a collector. Many goroutines may use it. Use [NewTraces].
//
// Every process that follows the registry sends spans with the same ids, so a collector keeps each span once. Spans
// that were not sent yet are lost when the process is killed.
type Traces struct {
	names    spanIDs
	log      *slog.Logger
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	end      context.CancelFunc
}

// NewTraces begins to send spans in the background. It returns nil if the environment names no endpoint, and an error
// if the endpoint is no URL. No call waits for the collector. Spans that the collector does not accept in time are
// lost, and this is logged once a minute. The caller calls [Traces.Close].
//
// An unreadable variable is logged, and its default is used. Values of variables are never logged, because headers and
// addresses may contain secrets.
func NewTraces(c TracesConfig) (*Traces, error) {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	env := environment{get: c.Getenv, log: c.Logger}
	endpoint, err := env.endpoint()
	if endpoint == nil || err != nil {
		return nil, err
	}
	if c.Transport == nil {
		c.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			IdleConnTimeout: time.Minute,
		}
	}
	life, end := context.WithCancel(context.Background())
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&exporter{
			life: life, url: endpoint, headers: env.headers(), timeout: env.timeout(), now: c.Now, log: c.Logger,
			client: &http.Client{Transport: c.Transport, CheckRedirect: noRedirect},
		}),
		sdktrace.WithResource(env.newResource(life, c.Workspace, c.Version)),
		sdktrace.WithIDGenerator(idGenerator{}),
	)
	return &Traces{
		names: spanIDs{c.Workspace}, log: c.Logger, end: end,
		provider: provider, tracer: provider.Tracer("handoff", trace.WithInstrumentationVersion(c.Version)),
	}, nil
}

// noRedirect refuses redirects, because the headers may contain a secret that no other host may get.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Close sends the remaining spans, until ctx is done at the latest, and stops. It is called once. The error comes from
// the SDK, or from ctx if not all spans were sent. Calls after Close have no spans.
func (t *Traces) Close(ctx context.Context) error {
	defer t.end()
	return t.provider.Shutdown(ctx)
}

// isSampled reports whether the trace of a workflow is sent. The sampler decides by the id of the trace, so every
// process decides in the same way. Only the SDK can call the sampler. So isSampled begins a span to get the decision,
// and never ends the span, which is therefore not sent.
func (t *Traces) isSampled(w schemas.Workflow) bool {
	_, asked := t.tracer.Start(withSpanID(context.Background(), spanID{trace: t.names.traceID(w)}), "asked")
	return asked.IsRecording()
}

// spanContext returns the ids of the span of a handoff, in the trace of its workflow. The ids are computed from names,
// so the span need not exist yet.
func (t *Traces) spanContext(w schemas.Workflow, h schemas.ID) trace.SpanContext {
	config := trace.SpanContextConfig{TraceID: t.names.traceID(w), SpanID: t.names.handoffSpanID(h)}
	if t.isSampled(w) {
		config.TraceFlags = trace.FlagsSampled
	}
	return trace.NewSpanContext(config)
}

// The attributes of spans. None has texts of agents.
const (
	keyHandoff  = attribute.Key("handoff.id")
	keyWorkflow = attribute.Key("handoff.workflow")
	keyAgent    = attribute.Key("handoff.agent") // the holder or last holder, or the caller
	keySender   = attribute.Key("handoff.sender")
	keyAttempt  = attribute.Key("handoff.attempt")
	keyAction   = attribute.Key("handoff.action")  // the event that ended the span
	keyOutcome  = attribute.Key("handoff.outcome") // the state in which it ended
)

// spanIDs computes the ids of traces and spans from names, so that every process computes the same ids. The ids are the
// first bytes of a SHA-256 over the names, with the workspace, so that two workspaces share no trace. The computation
// must never change, because spans that were sent refer to each other by these ids.
type spanIDs struct{ workspace string }

// traceID returns the id of the trace of a workflow. All spans of its handoffs are in it.
func (n spanIDs) traceID(w schemas.Workflow) trace.TraceID {
	return trace.TraceID(n.hashOf("workflow", string(w)))
}

// handoffSpanID returns the id of the span of a handoff.
func (n spanIDs) handoffSpanID(h schemas.ID) trace.SpanID {
	return trace.SpanID(n.hashOf("handoff", h.String()))
}

// stageSpanID returns the id of the span of the stage that an event ended.
func (n spanIDs) stageSpanID(h schemas.ID, event uint64) trace.SpanID {
	return trace.SpanID(n.hashOf("stage", h.String(), strconv.FormatUint(event, 10)))
}

func (n spanIDs) hashOf(parts ...string) []byte {
	sum := sha256.New()
	for _, part := range append([]string{n.workspace}, parts...) {
		sum.Write(append([]byte(part), 0)) // no name contains a zero byte
	}
	return sum.Sum(nil)
}

// spanID holds the ids of a span.
type spanID struct {
	trace trace.TraceID
	id    trace.SpanID
}

type spanKey struct{}

// withSpanID gives these ids to the next span that is begun in ctx.
func withSpanID(ctx context.Context, s spanID) context.Context {
	return context.WithValue(ctx, spanKey{}, s)
}

// idGenerator gives a span the ids that its context holds. The SDK calls NewIDs for a span without a valid parent, and
// NewSpanID for every other span.
type idGenerator struct{}

// NewIDs implements the generator of the SDK.
func (idGenerator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	given := ctx.Value(spanKey{}).(spanID)
	return given.trace, given.id
}

func (g idGenerator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, s := g.NewIDs(ctx)
	return s
}
