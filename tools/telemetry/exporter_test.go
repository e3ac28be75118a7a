package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/tools/telemetry"
)

// exportSpans sends n spans to c, each after a pause, and returns the log.
func exportSpans(t *testing.T, c http.RoundTripper, n int, pause time.Duration, more ...string) (log string) {
	t.Helper()
	var b bytes.Buffer
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://me:sec%72et@collector:4318/?key=secret", "OTEL_EXPORTER_OTLP_HEADERS": "Api-Key=secret",
	}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	traces, err := telemetry.NewTraces(telemetry.TracesConfig{
		Getenv: func(name string) string { return env[name] }, Workspace: "w", Version: "1", Now: time.Now, Transport: c,
		Logger: slog.New(slog.NewTextHandler(&b, nil)),
	})
	require.NoError(t, err)
	o := newOffice(t)
	whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, o) }, func() {
		for range n {
			begun := time.Now()
			o.claimOne()
			require.Equal(t, begun, time.Now(), "no call waits")
			time.Sleep(pause)
		}
	})
	require.NoError(t, traces.Close(t.Context()))
	require.NotContains(t, b.String(), "secret")
	return b.String()
}

func TestExporter_RetriesAfterPassingFailure(t *testing.T) {
	for _, status := range []int{429, 502, 503, 504} {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Time
			c := &collector{t: t}
			c.answer = func(w http.ResponseWriter) {
				if at = append(at, time.Now()); len(at) == 2 {
					w.Header().Set("Retry-After", "4")
				}
				if len(at) < 4 {
					w.WriteHeader(status)
				}
			}
			log := exportSpans(t, c, 1, time.Minute)
			require.Empty(t, log)
			require.Len(t, at, 4)
			require.Equal(t, []time.Duration{time.Second, 4 * time.Second, 4 * time.Second},
				[]time.Duration{at[1].Sub(at[0]), at[2].Sub(at[1]), at[3].Sub(at[2])})
		})
	}
}

func TestExporter_DropsSpansAfterLastingFailure(t *testing.T) {
	for _, status := range []int{301, 307, 400, 401, 404, 500} {
		synctest.Test(t, func(t *testing.T) {
			c := &collector{t: t, answer: func(w http.ResponseWriter) {
				w.Header().Set("Location", "http://elsewhere/")
				w.WriteHeader(status)
			}}
			log := exportSpans(t, c, 1, time.Minute)
			require.Equal(t, 1, c.requestCount())
			require.Equal(t, 1, strings.Count(log, "spans were lost"), log)
			require.Contains(t, log, "host=collector:4318 spans=1")
		})
	}
}

// unreachableCollector refuses every connection.
type unreachableCollector struct{ asked int }

func (g *unreachableCollector) RoundTrip(*http.Request) (*http.Response, error) {
	g.asked++
	return nil, errors.New("connection refused")
}

func TestExporter_LogsLossOncePerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &unreachableCollector{}
		log := exportSpans(t, c, 10, 30*time.Second)
		require.Greater(t, c.asked, 10, "each batch is repeated")
		require.InDelta(t, 5, strings.Count(log, "spans were lost"), 1, log)
		require.Contains(t, log, "spans=2", "with those that were lost since it was told")
	})
}

func TestExporter_LogsRefusedSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{t: t, answer: func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}`)
		}}
		require.Contains(t, exportSpans(t, c, 1, 0), "the collector refused 1 span: too old")
		require.Equal(t, 1, c.requestCount())
	})
}

// hangingCollector accepts a request and never answers.
type hangingCollector struct{}

func (hangingCollector) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTracesClose_DoesNotWaitForHangingCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traces, err := telemetry.NewTraces(telemetry.TracesConfig{
			Getenv: env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"), Workspace: "w", Now: time.Now, Transport: hangingCollector{},
		})
		require.NoError(t, err)
		o := newOffice(t)
		whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, o) }, o.claimOne)
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, traces.Close(ctx), context.DeadlineExceeded)
		synctest.Wait()
		require.Equal(t, time.Second, time.Since(begun))
	})
}

func TestExporter_GivesBatchUpAtTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		log := exportSpans(t, hangingCollector{}, 1, 0, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1500")
		require.Equal(t, 1500*time.Millisecond, time.Since(begun))
		require.Contains(t, log, "spans were lost")
	})
}
