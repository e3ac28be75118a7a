package web_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
	"handoff/schemas"
)

func TestReadiness_ChecksOnceASecond(t *testing.T) {
	var clock, asked atomic.Int64
	var broken atomic.Pointer[error]
	s := startServer(t, web.Config{
		Now: func() time.Time { return time.Unix(0, clock.Load()) },
		Ready: func(context.Context) error {
			asked.Add(1)
			if err := broken.Load(); err != nil {
				return *err
			}
			return nil
		},
	})
	ready := func(status int, said string) {
		t.Helper()
		response, body := s.get("/readyz")
		require.Equal(t, status, response.StatusCode)
		require.Equal(t, said+"\n", body)
	}
	for range 3 {
		ready(http.StatusOK, `{"ready":true}`)
	}
	require.EqualValues(t, 1, asked.Load())

	err := error(schemas.Errorf(schemas.Unavailable, "the store at %s is gone", "/home/me/store"))
	broken.Store(&err)
	ready(http.StatusOK, `{"ready":true}`)
	clock.Add(int64(time.Second))
	ready(http.StatusServiceUnavailable, `{"ready":false,"reason":"unavailable"}`)
	bug := errors.New("page 7 of /home/me/store is torn")
	broken.Store(&bug)
	clock.Add(int64(time.Second))
	ready(http.StatusServiceUnavailable, `{"ready":false,"reason":"internal"}`)
	response, _ := s.get("/healthz")
	require.Equal(t, http.StatusOK, response.StatusCode, "the process lives")

	broken.Store(nil)
	clock.Add(int64(time.Second))
	ready(http.StatusOK, `{"ready":true}`)
	require.EqualValues(t, 4, asked.Load())
	require.Regexp(t, `level=WARN msg="not ready" error="the store at /home/me/store is gone"\n`, s.log.String())
	require.NotContains(t, s.log.String(), "is torn", "it is said once")
	require.Contains(t, s.log.String(), `msg="ready again"`)
}

// One check hangs and ignores its context; all requests are answered, and none starts another check.
func TestReadiness_HangingCheckBlocksNoRequest(t *testing.T) {
	t.Parallel() // it takes the two seconds
	var asked atomic.Int64
	s := startServer(t, web.Config{Ready: func(context.Context) error {
		asked.Add(1)
		<-t.Context().Done()
		return nil
	}})
	s.dial("GET /readyz HTTP/1.1\r\nHost: " + s.addr + "\r\n\r\n")
	response, body := s.get("/readyz")
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Contains(t, body, `"timeout"`)
	require.EqualValues(t, 1, asked.Load())
}

func TestReadiness_OutlivesFirstRequest(t *testing.T) {
	begun, answered := make(chan bool, 1), make(chan bool)
	s := startServer(t, web.Config{Ready: func(ctx context.Context) error {
		begun <- true
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-answered:
			return nil
		}
	}})
	conn := s.dial("GET /readyz HTTP/1.1\r\nHost: " + s.addr + "\r\n\r\n")
	<-begun
	require.NoError(t, conn.Close())
	for !strings.Contains(s.log.String(), "status=503") {
		runtime.Gosched() // until the server notices that the client left
	}
	close(answered)
	response, _ := s.get("/readyz")
	require.Equal(t, http.StatusOK, response.StatusCode)
}
