package observe

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
)

// TracesConfig says where spans go. Getenv, Workspace and Now are required.
type TracesConfig struct {
	// Getenv reads the environment. These variables of the OpenTelemetry specification are known:
	// OTEL_SDK_DISABLED, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_EXPORTER (only none),
	// OTEL_TRACES_SAMPLER and its _ARG; ENDPOINT, HEADERS, TIMEOUT and PROTOCOL, each after
	// OTEL_EXPORTER_OTLP_TRACES_ or OTEL_EXPORTER_OTLP_. What is spoken is http/json, whatever PROTOCOL says.
	// The SDK itself reads the bounds of its queue, OTEL_BSP_…, and of a span, OTEL_SPAN_….
	Getenv func(string) string

	Workspace string // its name: traces of different workspaces differ
	Version   string // of this program
	Now       func() time.Time
	Transport http.RoundTripper // to the collector, default: one of its own
	Logger    *slog.Logger      // default: discards
}

// Traces sends spans to a collector. Nil sends none, and its methods may be called all the same, concurrently.
type Traces struct {
	names     names
	now       func() time.Time
	log       *slog.Logger
	provider  *sdktrace.TracerProvider
	tracer    trace.Tracer
	root      sdktrace.Sampler // decides on the trace of a workflow
	end       context.CancelFunc
	workflows *workflows
}

// NewTraces begins to send spans in the background. It gives nil when the environment names no endpoint, and
// an error when it names one that is no URL. Nothing that is traced ever waits for the collector: what it does
// not take in time is lost, and told once a minute.
func NewTraces(c TracesConfig) (*Traces, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	env := environment{get: c.Getenv, log: c.Logger}
	endpoint, err := env.endpoint()
	if endpoint == nil || err != nil {
		return nil, err
	}
	if c.Transport == nil {
		c.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	}
	life, end := context.WithCancel(context.Background())
	sampler, root := env.sampler()
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&exporter{
			life: life, url: endpoint, headers: env.headers(), timeout: env.timeout(), now: c.Now, log: c.Logger,
			client: &http.Client{Transport: c.Transport, CheckRedirect: stay},
		}),
		sdktrace.WithResource(resource.NewSchemaless(env.resource(c.Workspace, c.Version)...)),
		sdktrace.WithSampler(sampler),
		sdktrace.WithIDGenerator(generator{}),
	)
	return &Traces{
		names: names{c.Workspace}, now: c.Now, log: c.Logger, root: root, end: end, workflows: newWorkflows(),
		provider: provider, tracer: provider.Tracer("handoff", trace.WithInstrumentationVersion(c.Version)),
	}, nil
}

// stay follows no redirect: headers that hold a secret go to nobody else.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Close sends what is left, until ctx is done at the latest.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	defer t.end()
	return t.provider.Shutdown(ctx)
}

// sampled tells whether the trace of a workflow is sent.
func (t *Traces) sampled(w schemas.Workflow) bool {
	asked := sdktrace.SamplingParameters{ParentContext: context.Background(), TraceID: t.names.trace(w)}
	return t.root.ShouldSample(asked).Decision == sdktrace.RecordAndSample
}

// at is the place of a handoff's span in the trace of its workflow.
func (t *Traces) at(w schemas.Workflow, h schemas.ID) trace.SpanContext {
	config := trace.SpanContextConfig{TraceID: t.names.trace(w), SpanID: t.names.handoff(h)}
	if t.sampled(w) {
		config.TraceFlags = trace.FlagsSampled
	}
	return trace.NewSpanContext(config)
}

// The attributes of spans. None says what was said.
const (
	keyHandoff  = attribute.Key("handoff.id")
	keyWorkflow = attribute.Key("handoff.workflow")
	keyAgent    = attribute.Key("handoff.agent") // who holds it or held it last, or who calls
	keySender   = attribute.Key("handoff.sender")
	keyAttempt  = attribute.Key("handoff.attempt")
	keyAction   = attribute.Key("handoff.action")  // what ended the span, as in the registry
	keyOutcome  = attribute.Key("handoff.outcome") // the state in which it ended
	keyVia      = attribute.Key("handoff.via")     // how a call came in
	keyError    = attribute.Key("error.type")      // the code of the error of a call
)
