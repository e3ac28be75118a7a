package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"handoff/schemas"
)

// exporter sends spans to a collector as OTLP/HTTP with JSON. It is called for one batch at a time. What
// cannot be sent is lost, and told once a minute.
type exporter struct {
	life    context.Context // ends with the program: nothing is sent any more
	client  *http.Client
	url     *url.URL
	headers http.Header
	timeout time.Duration // for a batch, with all repeats
	now     func() time.Time
	log     *slog.Logger

	told time.Time // when it was told last that spans were lost
	lost int       // since then
}

var _ sdktrace.SpanExporter = (*exporter)(nil)

// ExportSpans sends a batch. Errors are told here and not given on: the SDK would print them.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := encode(spans)
	if err == nil {
		err = e.send(ctx, body)
	}
	if err != nil {
		e.complain(ctx, err, len(spans))
	}
	return nil
}

// Shutdown lets go of connections.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

func (e *exporter) complain(ctx context.Context, err error, lost int) {
	e.lost += lost
	now := e.now()
	if age := now.Sub(e.told); !e.told.IsZero() && age >= 0 && age < time.Minute {
		return
	}
	e.log.WarnContext(ctx, "spans were lost: the collector did not take them",
		slog.String("host", e.url.Host), slog.Int("spans", e.lost), slog.Any("cause", err))
	e.told, e.lost = now, 0
}

// errAgain tells that the same batch may be taken later.
type errAgain struct {
	error
	after time.Duration // as the collector asked, zero when it did not
}

func (e errAgain) Unwrap() error { return e.error }

// send repeats what failed for a passing reason, after longer and longer pauses, while there is time.
func (e *exporter) send(ctx context.Context, body []byte) error {
	const shortest, longest = time.Second, 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	for pause := shortest; ; pause = min(2*pause, longest) {
		err := e.post(ctx, body)
		again, ok := errors.AsType[errAgain](err)
		if !ok {
			return err
		}
		if !wait(ctx, max(pause, again.after)) {
			return err
		}
	}
}

// answerRead is how much of an answer is looked at.
const answerRead = 64 << 10

func (e *exporter) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the request could not be made") // the cause would name the whole address
	}
	r.Header = e.headers.Clone()
	r.Header.Set("Content-Type", "application/json")
	answer, err := e.client.Do(r)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // the address may hold a secret
		}
		return errAgain{error: err}
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	text, _ := io.ReadAll(io.LimitReader(answer.Body, answerRead))
	switch answer.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return partial(text)
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return errAgain{fmt.Errorf("status %d", answer.StatusCode), retryAfter(answer.Header)}
	}
	return fmt.Errorf("status %d", answer.StatusCode)
}

// partial is the error for a batch of which not all was taken. To repeat it would not help.
func partial(answer []byte) error {
	var a struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"` // a number, or the same as text
			ErrorMessage  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	_ = json.Unmarshal(answer, &a) // what cannot be read does not say that spans were refused
	n, _ := strconv.Atoi(string(bytes.Trim(a.PartialSuccess.RejectedSpans, `"`)))
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d spans were refused: %s", n, schemas.Clip(schemas.Visible(a.PartialSuccess.ErrorMessage), 200))
}

// retryAfter is the pause that a collector asked for in seconds, zero when it did not.
func retryAfter(h http.Header) time.Duration {
	seconds, _ := strconv.Atoi(h.Get("Retry-After"))
	return time.Duration(min(max(seconds, 0), 3600)) * time.Second
}
