package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/tools/telemetry"
)

// env is an environment of pairs.
func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestTraces_SendNothingByDefault(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, pairs := range [][]string{
		nil,
		{endpoint, "http://collector:4318", "OTEL_SDK_DISABLED", "True"},
		{endpoint, "http://collector:4318", "OTEL_TRACES_EXPORTER", "none"},
	} {
		traces, err := telemetry.NewTraces(telemetry.TracesConfig{Getenv: env(pairs...), Now: time.Now})
		require.NoError(t, err)
		require.Nil(t, traces)
	}
}

func TestEndpoint_MustBeURL(t *testing.T) {
	for _, endpoint := range []string{"collector:4318", "secret", "grpc://secret:4317", "http://", "http://sec ret", "http:///v1"} {
		_, err := telemetry.NewTraces(telemetry.TracesConfig{Getenv: env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), Now: time.Now})
		require.EqualError(t, err, "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL as http://localhost:4318")
	}
}

func TestTraces_SendToEndpointOfEnvironment(t *testing.T) {
	for _, test := range []struct{ name, all, traces, want string }{
		{"for all signals", "http://c:4318", "", "http://c:4318/v1/traces"},
		{"below a path", "https://c/otlp/", "", "https://c/otlp/v1/traces"},
		{"with a query", "https://c?a=b", "", "https://c/v1/traces?a=b"},
		{"for traces", "http://other", "http://c:4318/spans", "http://c:4318/spans"},
		{"for traces as it is", "", "http://c:4318", "http://c:4318"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &collector{t: t}
				traces := newTraces(t, c, "OTEL_EXPORTER_OTLP_ENDPOINT", test.all, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", test.traces)
				o := newOffice(t)
				whileFollowing(t, func(ctx context.Context) { traces.Follow(ctx, o) }, o.claimOne)
				require.Len(t, closeAndTakeSpans(t, traces, c), 1)
				require.Equal(t, test.want, c.requests[0].URL.String())
			})
		})
	}
}

func TestEnvironment_LogsOtherProtocol(t *testing.T) {
	for _, test := range []struct{ endpoint, protocol, want string }{
		{"http://c:4318", "", ""},
		{"http://c:4318", "http/json", ""},
		{"http://c:4318", "http/protobuf", "level=INFO"},
		{"http://c:4318", "grpc", "4318"},
		{"http://c:4317", "", "4318"},
	} {
		var log bytes.Buffer
		traces, err := telemetry.NewTraces(telemetry.TracesConfig{
			Getenv: env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", test.endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL", test.protocol),
			Now:    time.Now, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		require.NoError(t, err)
		require.NoError(t, traces.Close(t.Context()))
		if test.want == "" {
			require.Empty(t, log.String())
		}
		require.Contains(t, log.String(), test.want)
	}
}
