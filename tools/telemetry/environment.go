package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
)

// environment reads the variables of the OpenTelemetry specification. Each method reads its variables when it is
// called. For an unusable value it logs a warning without the value, and uses the default. Only an endpoint that is no
// URL is an error.
type environment struct {
	get func(string) string
	log *slog.Logger
}

// exporterVariable returns a variable of the exporter: the variable for traces if it is set, else the variable for all
// signals.
func (e environment) exporterVariable(name string) string {
	return cmp.Or(e.get("OTEL_EXPORTER_OTLP_TRACES_"+name), e.get("OTEL_EXPORTER_OTLP_"+name))
}

// endpoint returns the URL to which spans are sent, or nil if spans are off. It uses the URL for traces unchanged, and
// adds v1/traces to the URL for all signals, as the specification says.
func (e environment) endpoint() (*url.URL, error) {
	if strings.EqualFold(e.get("OTEL_SDK_DISABLED"), "true") || e.get("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	name, path := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ""
	if e.get(name) == "" {
		name, path = "OTEL_EXPORTER_OTLP_ENDPOINT", "v1/traces"
	}
	if e.get(name) == "" {
		return nil, nil
	}
	u, err := url.Parse(e.get(name))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s must be a URL as http://localhost:4318", name) // its value may hold a secret
	}
	if path != "" {
		u = u.JoinPath(path)
	}
	e.warnOfProtocol(u)
	return u, nil
}

// warnOfProtocol logs that the environment names a protocol that this program does not have.
func (e environment) warnOfProtocol(u *url.URL) {
	protocol := e.exporterVariable("PROTOCOL")
	switch {
	case protocol == "grpc" || u.Port() == "4317":
		e.log.Warn("spans are sent as OTLP/HTTP with JSON, not over gRPC: name the HTTP port of the collector, usually 4318",
			slog.String("host", u.Host))
	case protocol != "" && protocol != "http/json":
		e.log.Info("spans are sent as OTLP/HTTP with JSON, which collectors take at the same address",
			slog.String("protocol", protocol), slog.String("host", u.Host))
	}
}

// timeout returns the time that one batch may take, with all its repeats. The variable is in milliseconds; the default
// is 10 seconds.
func (e environment) timeout() time.Duration {
	const usual = 10 * time.Second
	text := e.exporterVariable("TIMEOUT")
	if text == "" {
		return usual
	}
	millis, err := strconv.Atoi(text)
	if err != nil || millis <= 0 {
		e.log.Warn("OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds", slog.Duration("used", usual))
		return usual
	}
	return time.Duration(millis) * time.Millisecond
}

// headers returns the headers of each request to the collector, usually a key. A redirect to another host does not get
// them. The variable has pairs such as "a=1,b=2%2C3". It skips a text that is no pair, and logs a warning without the
// text, which may be part of a secret.
func (e environment) headers() http.Header {
	h := http.Header{}
	for text := range strings.SplitSeq(e.exporterVariable("HEADERS"), ",") {
		name, value, found := strings.Cut(text, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); found && name != "" && err == nil {
			h.Set(name, decoded)
		} else if strings.TrimSpace(text) != "" {
			e.log.Warn("a variable of OpenTelemetry holds something that is not name=value")
		}
	}
	return h
}

// newResource returns the description of this program that is sent with all spans. The variables
// OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME override its attributes.
func (e environment) newResource(ctx context.Context, workspace, version string) *resource.Resource {
	r, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "handoff"),
		attribute.String("service.version", version),
		attribute.String("handoff.workspace", workspace),
	), resource.WithFromEnv())
	if err != nil {
		e.log.WarnContext(ctx, "OTEL_RESOURCE_ATTRIBUTES holds something that is not name=value")
	}
	return r
}
