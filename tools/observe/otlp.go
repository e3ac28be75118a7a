package observe

import (
	"encoding/json"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The messages of OTLP in JSON: ids are hexadecimal, numbers of 64 bits are strings, values of enumerations are numbers
// (OpenTelemetry protocol specification, JSON Protobuf encoding).
type (
	otlpRequest struct {
		ResourceSpans []otlpResourceSpans `json:"resourceSpans"`
	}
	otlpResourceSpans struct {
		Resource   otlpResource     `json:"resource"`
		ScopeSpans []otlpScopeSpans `json:"scopeSpans"`
	}
	otlpResource struct {
		Attributes []otlpAttribute `json:"attributes,omitempty"`
	}
	otlpScopeSpans struct {
		Scope otlpScope  `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpScope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	otlpSpan struct {
		TraceID      string          `json:"traceId"`
		SpanID       string          `json:"spanId"`
		TraceState   string          `json:"traceState,omitempty"`
		ParentSpanID string          `json:"parentSpanId,omitempty"`
		Flags        uint32          `json:"flags"`
		Name         string          `json:"name"`
		Kind         int             `json:"kind"`
		Start        string          `json:"startTimeUnixNano"`
		End          string          `json:"endTimeUnixNano"`
		Attributes   []otlpAttribute `json:"attributes,omitempty"`
		Links        []otlpLink      `json:"links,omitempty"`
		DroppedLinks int             `json:"droppedLinksCount,omitempty"`
		Status       otlpStatus      `json:"status"`
	}
	otlpLink struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		TraceState string          `json:"traceState,omitempty"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
		Flags      uint32          `json:"flags"`
	}
	otlpStatus struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String *string  `json:"stringValue,omitempty"`
		Bool   *bool    `json:"boolValue,omitempty"`
		Int    *string  `json:"intValue,omitempty"`
		Double *float64 `json:"doubleValue,omitempty"`
	}
)

// encode encodes spans. All have the resource and the scope of the first: this program has no others.
func encode(spans []sdktrace.ReadOnlySpan) ([]byte, error) {
	scope := spans[0].InstrumentationScope()
	out := make([]otlpSpan, len(spans))
	for i, s := range spans {
		out[i] = spanOf(s)
	}
	return json.Marshal(otlpRequest{[]otlpResourceSpans{{
		Resource:   otlpResource{attributesOf(spans[0].Resource().Attributes())},
		ScopeSpans: []otlpScopeSpans{{Scope: otlpScope{scope.Name, scope.Version}, Spans: out}},
	}}})
}

func spanOf(s sdktrace.ReadOnlySpan) otlpSpan {
	at, parent := s.SpanContext(), s.Parent()
	out := otlpSpan{
		TraceID: at.TraceID().String(), SpanID: at.SpanID().String(), TraceState: at.TraceState().String(),
		Flags: flags(at.TraceFlags(), parent.IsRemote()),
		Name:  s.Name(), Kind: int(s.SpanKind()), Start: nanos(s.StartTime()), End: nanos(s.EndTime()),
		Attributes: attributesOf(s.Attributes()), DroppedLinks: s.DroppedLinks(),
		Status: otlpStatus{statusCode(s.Status().Code), s.Status().Description},
	}
	if parent.SpanID().IsValid() {
		out.ParentSpanID = parent.SpanID().String()
	}
	for _, l := range s.Links() {
		to := l.SpanContext
		out.Links = append(out.Links, otlpLink{
			TraceID: to.TraceID().String(), SpanID: to.SpanID().String(), TraceState: to.TraceState().String(),
			Attributes: attributesOf(l.Attributes), Flags: flags(to.TraceFlags(), to.IsRemote()),
		})
	}
	return out
}

func attributesOf(attrs []attribute.KeyValue) []otlpAttribute {
	out := make([]otlpAttribute, len(attrs))
	for i, a := range attrs {
		out[i] = otlpAttribute{string(a.Key), valueOf(a.Value)}
	}
	return out
}

func valueOf(v attribute.Value) otlpValue {
	switch v.Type() { //nolint:exhaustive // the others are written as text
	case attribute.BOOL:
		return otlpValue{Bool: new(v.AsBool())}
	case attribute.INT64:
		return otlpValue{Int: new(strconv.FormatInt(v.AsInt64(), 10))}
	case attribute.FLOAT64:
		return otlpValue{Double: new(v.AsFloat64())}
	}
	return otlpValue{String: new(v.String())}
}

// flags are the flags of a trace, with those that say whether the parent or the link is remote.
func flags(of trace.TraceFlags, remote bool) uint32 {
	const known, isRemote = 0x100, 0x200
	f := uint32(of) | known
	if remote {
		f |= isRemote
	}
	return f
}

func statusCode(c codes.Code) int {
	switch c {
	case codes.Ok:
		return 1
	case codes.Error:
		return 2
	case codes.Unset:
	}
	return 0
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
