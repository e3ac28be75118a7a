//go:build unix

package network_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A collector of OpenTelemetry keeps the spans that it receives.
type collector struct {
	*httptest.Server

	mu    sync.Mutex // guards the fields below
	spans []traced
	text  strings.Builder // all that came, as it came
}

// traced is a span.
type traced struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	Links                               []struct{ TraceID, SpanID string }
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []traced } }
	}
	if err != nil || r.URL.Path != "/v1/traces" || json.Unmarshal(body, &sent) != nil {
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(body)
	for _, resource := range sent.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// named gives the spans of a name that came so far.
func (c *collector) named(name string) (spans []traced) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name == name {
			spans = append(spans, s)
		}
	}
	return spans
}

func (c *collector) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}
