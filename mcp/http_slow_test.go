package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
)

// requestHead writes the beginning of a request of a client with a token.
func requestHead(method string, c *httpClient, length int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n", method, length)
	_ = c.header.Write(&b)
	return b.String() + "\r\n"
}

// A byte a second is too slow, and delays no other client.
func TestHTTPTimeout_EndsSlowRequestBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveInBubble(t, workspace(t), mcp.HTTPConfig{})
		qa := s.newClient("qa").beginSession("2025-11-25")
		conn := s.rawConnection()
		began := time.Now()
		_, err := io.WriteString(conn, requestHead(http.MethodPost, qa, 1000))
		require.NoError(t, err)
		cut := make(chan struct{})
		go func() {
			defer close(cut)
			for err := error(nil); err == nil; time.Sleep(time.Second) {
				_, err = io.WriteString(conn, " ")
			}
		}()
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		defer got.Body.Close()
		require.Equal(t, http.StatusBadRequest, got.StatusCode)
		require.Equal(t, 30*time.Second, time.Since(began))
		require.Equal(t, http.StatusOK, qa.post(ping(1)).status)
		<-cut
	})
}

// The response to a message may take longer than the time limit for the message.
func TestHTTPTimeout_DoesNotLimitLongPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := workspace(t)
		s := serveInBubble(t, cfg, mcp.HTTPConfig{})
		for _, era := range eras {
			qa := s.join(era, "qa")
			waits := qa.postAsync(t.Context(), qa.call(7, "claim_handoff", claimAndWait))
			time.Sleep(49 * time.Second)
			sendWork(t, cfg, 1)
			require.Contains(t, (<-waits).body, "Test the login")
		}
	})
}

func TestHTTPTimeout_EndsResponseThatIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := workspace(t)
		s := serveInBubble(t, cfg, mcp.HTTPConfig{})
		qa := s.newClient("qa").beginSession("2025-11-25")
		sendWork(t, cfg, 1)
		conn, body := s.rawConnection(), callRequest(1, "claim_handoff", `{}`)
		_, err := io.WriteString(conn, requestHead(http.MethodPost, qa, len(body))+body)
		require.NoError(t, err)
		s.awaitRunning(1)
		began := time.Now()
		s.awaitAtMostRunning(0)
		require.WithinDuration(t, began.Add(30*time.Second), time.Now(), time.Second)
		requireClaimable(t, cfg)
	})
}

func TestHTTPTimeout_EndsStreamThatIsNotRead(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := workspace(t)
				s := serveInBubble(t, cfg, mcp.HTTPConfig{})
				good := s.join(era, "qa").watch(7, "handoff://inbox/qa")
				s.openUnreadStream(s.join(era, "qa"))
				s.awaitRunning(2)
				requireNotified(t, cfg, good, 100)
				s.awaitAtMostRunning(1)
			})
		})
	}
}

// requireNotified sends mail and checks that a stream gets a notification of each message.
func requireNotified(t *testing.T, cfg mcp.Config, good *stream, sends int) {
	t.Helper()
	sendWork(t, cfg, sends)
	for range sends {
		require.Contains(t, good.nextEvent(), "updated")
	}
}

// openUnreadStream opens a stream and never reads it.
func (s *site) openUnreadStream(m joinedClient) {
	s.t.Helper()
	conn, method, body := s.rawConnection(), http.MethodGet, ""
	if m.modern {
		method, body = http.MethodPost, m.write(7, "subscriptions/listen", `"notifications":{"resourceSubscriptions":["handoff://inbox/qa"]}`)
		m.httpClient = m.withHeaders()
		copyToHeaders(m.header, body)
	} else {
		m.postForAnswer(m.write(7, "resources/subscribe", `"uri":"handoff://inbox/qa"`))
	}
	_, err := io.WriteString(conn, requestHead(method, m.httpClient, len(body))+body)
	require.NoError(s.t, err)
}

// The same over a port, where the system buffers much before it blocks.
func TestHTTPTimeout_StuckClientDoesNotBlockOthers(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			s := serve(t, cfg, mcp.HTTPConfig{Now: func() time.Time { return time.Now().Add(-9 * time.Second) }})
			good := s.join(era, "qa").watch(7, "handoff://inbox/qa")
			s.openUnreadStream(s.join(era, "qa"))
			s.awaitRunning(2)
			requireNotified(t, cfg, good, 2000)
			s.awaitAtMostRunning(1)
		})
	}
}

func TestHTTPStream_SendsKeepAlive(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := workspace(t)
				s := serveInBubble(t, cfg, mcp.HTTPConfig{})
				heard := s.join(era, "qa").watch(7, "handoff://inbox/qa")
				began := time.Now()
				for n := range 3 {
					time.Sleep(10 * time.Second)
					sendWork(t, cfg, 1)
					require.Contains(t, <-heard.events, "updated", n)
				}
				require.Equal(t, ": live", <-heard.events)
				require.Equal(t, ": live", <-heard.events)
				require.Equal(t, time.Minute, time.Since(began))
			})
		})
	}
}
