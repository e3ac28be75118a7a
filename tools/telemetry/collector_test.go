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
		err = c.take(body)
	}
	if err != nil {
		c.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"partialSuccess":{}}`) // a client that left misses nothing
}

func (c *collector) take(body []byte) error {
	var all tracepb.TracesData // the same fields as a request for an export
	if err := protojson.Unmarshal(readable(body), &all); err != nil {
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

// taken returns the spans in the order of their ends.
func (c *collector) taken() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(c.spans), func(a, b *tracepb.Span) int {
		return cmp.Compare(a.GetEndTimeUnixNano(), b.GetEndTimeUnixNano())
	})
}

// asked returns how often spans were offered.
func (c *collector) asked() int {
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

// readable turns the ids, which OTLP writes in hexadecimal, into the base64 of other bytes in JSON.
func readable(body []byte) []byte { return hexIDs.ReplaceAllFunc(body, rewritten) }

func rewritten(field []byte) []byte {
	name, value, _ := bytes.Cut(field, []byte(":"))
	id, err := hex.DecodeString(string(bytes.Trim(value, `"`)))
	if err != nil {
		return []byte(`"not hexadecimal"`)
	}
	return append(append(name, ':'), base64JSON(id)...)
}

// traced sends the spans of a test to c. More variables come in pairs.
func traced(t *testing.T, c *collector, more ...string) *telemetry.Traces {
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

// flushed ends traces and returns the accepted spans.
func flushed(t *testing.T, traces *telemetry.Traces, c *collector) []*tracepb.Span {
	t.Helper()
	require.NoError(t, traces.Close(t.Context()))
	synctest.Wait()
	return c.taken()
}

func named(spans []*tracepb.Span, name string) (some []*tracepb.Span) {
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
