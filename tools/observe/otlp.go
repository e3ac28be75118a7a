package observe

import (
	"encoding/json"
	"maps"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// object is a message of OTLP in JSON: ids are hexadecimal, numbers of 64 bits are strings, values of enumerations are
// numbers (OpenTelemetry protocol specification, JSON Protobuf encoding). A collector takes a field that is empty for
// one that is not there, except for the id of a parent.
type object = map[string]any

// encode encodes spans as one request to a collector. All have the resource and the scope of the first: this program
// has no others. There is at least one span.
func encode(spans []sdktrace.ReadOnlySpan) ([]byte, error) {
	scope := spans[0].InstrumentationScope()
	out := make([]object, len(spans))
	for i, s := range spans {
		out[i] = spanOf(s)
	}
	return json.Marshal(object{"resourceSpans": []object{{
		"resource": object{"attributes": attributesOf(spans[0].Resource().Attributes())},
		"scopeSpans": []object{{
			"scope": object{"name": scope.Name, "version": scope.Version},
			"spans": out,
		}},
	}}})
}

func spanOf(s sdktrace.ReadOnlySpan) object {
	links := make([]object, len(s.Links()))
	for i, l := range s.Links() {
		links[i] = linkTo(l.SpanContext, l.SpanContext.IsRemote(), l.Attributes)
	}
	out := linkTo(s.SpanContext(), s.Parent().IsRemote(), s.Attributes())
	maps.Copy(out, object{
		"name": s.Name(), "kind": int(s.SpanKind()),
		"startTimeUnixNano": nanos(s.StartTime()), "endTimeUnixNano": nanos(s.EndTime()),
		"links": links, "droppedLinksCount": s.DroppedLinks(),
		"status": object{"code": statusCodes[s.Status().Code], "message": s.Status().Description},
	})
	if parent := s.Parent().SpanID(); parent.IsValid() {
		out["parentSpanId"] = parent.String()
	}
	return out
}

// linkTo has the fields that a span and a link have in common. Remote says that the parent of the span, or the span to
// which the link leads, is of another process.
func linkTo(to trace.SpanContext, remote bool, attrs []attribute.KeyValue) object {
	const known, isRemote = 0x100, 0x200
	flags := uint32(to.TraceFlags()) | known
	if remote {
		flags |= isRemote
	}
	return object{
		"traceId": to.TraceID().String(), "spanId": to.SpanID().String(), "traceState": to.TraceState().String(),
		"flags": flags, "attributes": attributesOf(attrs),
	}
}

// attributesOf encodes attributes. Whole numbers stay numbers; all others are written as text.
func attributesOf(attrs []attribute.KeyValue) []object {
	out := make([]object, len(attrs))
	for i, a := range attrs {
		value := object{"stringValue": a.Value.String()}
		if a.Value.Type() == attribute.INT64 {
			value = object{"intValue": strconv.FormatInt(a.Value.AsInt64(), 10)}
		}
		out[i] = object{"key": string(a.Key), "value": value}
	}
	return out
}

// statusCodes are the numbers of OTLP, in which OpenTelemetry's own two are swapped. Unset is zero.
var statusCodes = map[codes.Code]int{codes.Ok: 1, codes.Error: 2}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
