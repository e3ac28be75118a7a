package telemetry_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"handoff/tools/telemetry"
)

// collector accepts spans and decodes them with the messages of the OTLP specification. It refuses unknown fields.
type collector struct {
	t      testing.TB
	answer func(http.ResponseWriter) // nil accepts them

	mu       sync.Mutex // guards the fields below
	requests []*http.Request
	spans    []*tracepb.Span
	resource map[string]string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	if c.answer != nil {
		c.answer(w)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = c.addSpans(body)
	}
	if err != nil {
		c.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"partialSuccess":{}}`) // a client that left misses nothing
}

func (c *collector) addSpans(body []byte) error {
	var all tracepb.TracesData // the same fields as a request for an export
	if err := protojson.Unmarshal(hexIDsToBase64(body), &all); err != nil {
		return err
	}
	for _, r := range all.GetResourceSpans() {
		c.resource = attributes(r.GetResource().GetAttributes())
		for _, s := range r.GetScopeSpans() {
			c.spans = append(c.spans, s.GetSpans()...)
		}
	}
	return nil
}

// RoundTrip lets a client reach the collector without a network, because a bubble has none.
func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Result(), nil
}

// receivedSpans returns the spans in the order of their ends.
func (c *collector) receivedSpans() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(c.spans), func(a, b *tracepb.Span) int {
		return cmp.Compare(a.GetEndTimeUnixNano(), b.GetEndTimeUnixNano())
	})
}

// requestCount returns how often spans were offered.
func (c *collector) requestCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.requests)
}

func attributes(of []*commonpb.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range of {
		text, isText := a.GetValue().GetValue().(*commonpb.AnyValue_StringValue)
		if isText {
			m[a.GetKey()] = text.StringValue
		} else {
			m[a.GetKey()] = a.GetValue().String()
		}
	}
	return m
}

// hexIDsToBase64 rewrites ids from hexadecimal, which OTLP uses, to base64, which protojson reads.
func hexIDsToBase64(body []byte) []byte { return hexIDs.ReplaceAllFunc(body, hexIDToBase64) }

func hexIDToBase64(field []byte) []byte {
	name, value, _ := bytes.Cut(field, []byte(":"))
	id, err := hex.DecodeString(string(bytes.Trim(value, `"`)))
	if err != nil {
		return []byte(`"not hexadecimal"`)
	}
	return append(append(name, ':'), base64JSON(id)...)
}

// newTraces returns Traces that send their spans to c. The strings in more are pairs of names and values of environment
// variables.
func newTraces(t *testing.T, c *collector, more ...string) *telemetry.Traces {
	t.Helper()
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
	for pair := range slices.Chunk(more, 2) {
		env[pair[0]] = pair[1]
	}
	traces, err := telemetry.NewTraces(telemetry.TracesConfig{
		Getenv: func(name string) string { return env[name] }, Workspace: "login-1", Version: "1.2.3", Now: time.Now, Transport: c,
	})
	require.NoError(t, err)
	require.NotNil(t, traces)
	t.Cleanup(func() { require.NoError(t, traces.Close(context.Background())) })
	return traces
}

// closeAndTakeSpans closes traces and returns all spans that c accepted.
func closeAndTakeSpans(t *testing.T, traces *telemetry.Traces, c *collector) []*tracepb.Span {
	t.Helper()
	require.NoError(t, traces.Close(t.Context()))
	synctest.Wait()
	return c.receivedSpans()
}

func spansNamed(spans []*tracepb.Span, name string) (some []*tracepb.Span) {
	for _, s := range spans {
		if s.GetName() == name {
			some = append(some, s)
		}
	}
	return some
}

func spanNames(spans []*tracepb.Span) []string {
	all := map[string]bool{}
	for _, s := range spans {
		all[s.GetName()] = true
	}
	return slices.Sorted(maps.Keys(all))
}
