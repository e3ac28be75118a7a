package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
	"handoff/tools/platform"
)

// exporter sends spans to a collector as OTLP/HTTP with JSON. The SDK calls it for one batch at a time. Spans that
// cannot be sent are lost, which is logged once a minute.
type exporter struct {
	life    context.Context // its end stops all sending
	client  *http.Client
	url     *url.URL
	headers http.Header
	timeout time.Duration // for a batch, with all repetitions
	now     func() time.Time
	log     *slog.Logger

	logged time.Time // time of the last log line about lost spans
	lost   int       // spans since then
}

var _ sdktrace.SpanExporter = (*exporter)(nil)

// ExportSpans sends a batch. It logs errors and returns none, because the SDK would print them.
//
// It blocks until the batch is accepted or given up, for at most e.timeout. The end of e.life or of ctx ends it
// earlier. The SDK queues further spans meanwhile and drops them when its queue is full.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := encodeSpans(spans)
	if err == nil {
		err = e.send(ctx, body)
	}
	if err != nil {
		e.logLoss(ctx, err, len(spans))
	}
	return nil
}

// Shutdown closes idle connections.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// logLoss logs the spans lost since the last log line, at most once a minute. It names the host and not the address,
// which may hold a secret.
func (e *exporter) logLoss(ctx context.Context, err error, lost int) {
	e.lost += lost
	now := e.now()
	if age := now.Sub(e.logged); !e.logged.IsZero() && age >= 0 && age < time.Minute {
		return
	}
	e.log.WarnContext(ctx, "spans were lost: the collector did not take them",
		slog.String("host", e.url.Host), slog.Int("spans", e.lost), slog.Any("cause", err))
	e.logged, e.lost = now, 0
}

// errRetryable means that the collector may accept the same batch later.
type errRetryable struct {
	error
	after time.Duration // the pause that the collector asked for, zero for none
}

func (e errRetryable) Unwrap() error { return e.error }

// send repeats a request that failed for a passing reason, after longer and longer pauses, until the timeout.
//
// Passing reasons are: no connection, and status 429, 502, 503 and 504. The pause is 1 second, then twice as long
// each time up to 5 seconds, or the collector's own pause if that is longer. If a collector accepted a batch but its
// response was lost, the batch arrives twice with the same ids.
func (e *exporter) send(ctx context.Context, body []byte) error {
	const shortest, longest = time.Second, 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	for pause := shortest; ; pause = min(2*pause, longest) {
		err := e.post(ctx, body)
		again, ok := errors.AsType[errRetryable](err)
		if !ok {
			return err
		}
		if !platform.Sleep(ctx, max(pause, again.after)) {
			return err
		}
	}
}

// maxResponse is the number of bytes that are read of a response.
const maxResponse = 64 << 10

// post makes one request. Nil means that the collector accepted all spans. The error is an errRetryable if the same
// request may succeed later. Neither contains the address or a header.
func (e *exporter) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the request could not be made") // the cause would name the whole address
	}
	r.Header = e.headers.Clone()
	r.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(r)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // the address may hold a secret
		}
		return errRetryable{error: err}
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	switch response.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return partialError(text)
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return errRetryable{fmt.Errorf("status %d", response.StatusCode), retryAfter(response.Header)}
	}
	return fmt.Errorf("status %d", response.StatusCode)
}

// partialError returns the error for a batch if the collector rejected some spans of it. A repeat would not help.
func partialError(response []byte) error {
	var r struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"` // a number, or the same as text
			ErrorMessage  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	_ = json.Unmarshal(response, &r) // an unreadable response names no rejected spans
	n, _ := strconv.Atoi(string(bytes.Trim(r.PartialSuccess.RejectedSpans, `"`)))
	if n == 0 {
		return nil
	}
	return fmt.Errorf("the collector refused %s: %s", schemas.CountNoun(n, "span"), schemas.Clip(schemas.EscapeHidden(r.PartialSuccess.ErrorMessage), 200))
}

// retryAfter returns the pause that a collector asked for in seconds, or zero.
func retryAfter(h http.Header) time.Duration {
	seconds, _ := strconv.Atoi(h.Get("Retry-After"))
	return time.Duration(min(max(seconds, 0), 3600)) * time.Second
}

// jsonObject is a message of OTLP in JSON: ids are hexadecimal, numbers of 64 bits are strings, values of enumerations
// are numbers (OpenTelemetry protocol specification, JSON Protobuf encoding). For a collector an empty field is the
// same as a missing one, except for the id of a parent.
type jsonObject = map[string]any

// encodeSpans encodes spans as one request to a collector. All spans are sent with the resource and the scope of the
// first span, because all spans of this program have the same. There is at least one span.
func encodeSpans(spans []sdktrace.ReadOnlySpan) ([]byte, error) {
	scope := spans[0].InstrumentationScope()
	return json.Marshal(jsonObject{"resourceSpans": []jsonObject{{
		"resource": jsonObject{"attributes": encodeAttributes(spans[0].Resource().Attributes())},
		"scopeSpans": []jsonObject{{
			"scope": jsonObject{"name": scope.Name, "version": scope.Version},
			"spans": schemas.Map(spans, encodeSpan),
		}},
	}}})
}

func encodeSpan(s sdktrace.ReadOnlySpan) jsonObject {
	links := make([]jsonObject, len(s.Links()))
	for i, l := range s.Links() {
		links[i] = commonFields(l.SpanContext, l.SpanContext.IsRemote(), l.Attributes)
	}
	out := commonFields(s.SpanContext(), s.Parent().IsRemote(), s.Attributes())
	maps.Copy(out, jsonObject{
		"name": s.Name(), "kind": int(s.SpanKind()),
		"startTimeUnixNano": unixNanos(s.StartTime()), "endTimeUnixNano": unixNanos(s.EndTime()),
		"links": links, "droppedLinksCount": s.DroppedLinks(),
		"status": jsonObject{"code": statusCodes[s.Status().Code], "message": s.Status().Description},
	})
	if parent := s.Parent().SpanID(); parent.IsValid() {
		out["parentSpanId"] = parent.String()
	}
	return out
}

// commonFields returns the fields that a span and a link have in common. Remote says that the parent of the span, or
// the target of the link, belongs to another process.
func commonFields(to trace.SpanContext, remote bool, attrs []attribute.KeyValue) jsonObject {
	const known, isRemote = 0x100, 0x200
	flags := uint32(to.TraceFlags()) | known
	if remote {
		flags |= isRemote
	}
	return jsonObject{
		"traceId": to.TraceID().String(), "spanId": to.SpanID().String(), "traceState": to.TraceState().String(),
		"flags": flags, "attributes": encodeAttributes(attrs),
	}
}

// encodeAttributes encodes attributes. Whole numbers stay numbers; all others are written as text.
func encodeAttributes(attrs []attribute.KeyValue) []jsonObject {
	out := make([]jsonObject, len(attrs))
	for i, a := range attrs {
		value := jsonObject{"stringValue": a.Value.String()}
		if a.Value.Type() == attribute.INT64 {
			value = jsonObject{"intValue": strconv.FormatInt(a.Value.AsInt64(), 10)}
		}
		out[i] = jsonObject{"key": string(a.Key), "value": value}
	}
	return out
}

// statusCodes maps status codes of the SDK to the numbers of OTLP, which has 1 and 2 in the other order. Unset is zero.
var statusCodes = map[codes.Code]int{codes.Ok: 1, codes.Error: 2}

func unixNanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
