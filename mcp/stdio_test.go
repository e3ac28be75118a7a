package mcp_test

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/mcp/jsonrpc"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// inFlight is how many requests may be open at once.
const inFlight = 4096

func TestStdio_SendsAllResponsesAfterEndOfInput(t *testing.T) {
	for range 20 {
		c := connect(t, config(newStandIn()))
		var lines []string
		for id := range 50 {
			lines = append(lines, callRequest(id, "send_handoff", `{}`))
		}
		c.send(lines...)
		require.NoError(t, c.closeInput())
		require.Len(t, c.remainingLines(), 50)
	}
}

func TestStdio_LastLineNeedsNoNewline(t *testing.T) {
	c := connect(t, config(newStandIn()))
	_, err := io.WriteString(c.in, callRequest(1, "send_handoff", `{}`))
	require.NoError(t, err)
	require.NoError(t, c.closeInput())
	require.Len(t, c.remainingLines(), 1)
}

func TestStdio_AnswersCallDuringManyLongPolls(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	for id := range 300 {
		c.send(callRequest(id, "claim_handoff", `{"wait_seconds":50}`))
	}
	for range 300 {
		<-s.started
	}
	c.send(callRequest(1000, "send_handoff", `{}`))
	require.Equal(t, "1000", string(parse(t, c.nextLine()).ID))
	require.NoError(t, c.closeInput())
	cut := c.remainingLines()
	require.Len(t, cut, 300)
	require.Contains(t, cut[0], "the call was cut short")
}

// The client writes the cancellation directly after its request, without a pause. The cancellation must take effect,
// too.
func TestStdio_CancelEndsLongPollWithoutResponse(t *testing.T) {
	for range 50 {
		c := connect(t, config(newStandIn()))
		c.send(callRequest(1, "claim_handoff", `{"wait_seconds":50}`) + "\n" +
			cancellation("1"))
		c.send(ping(2))
		require.Equal(t, "2", string(parse(t, c.nextLine()).ID))
		require.NoError(t, c.closeInput())
		require.Empty(t, c.remainingLines())
	}
}

func TestStdio_CancelOfTextIDKeepsRequestWithSameNumber(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(callRequest(1, "send_handoff", `{"do":"hold"}`))
	<-s.started
	c.send(cancellation(`"1"`), cancellation("7"),
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	close(s.release)
	require.Equal(t, "1", string(parse(t, c.nextLine()).ID))
}

func TestStdio_FinishesCallsAtEndOfInput(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(callRequest(1, "send_handoff", `{"do":"hold","task":"wait_seconds"}`), callRequest(2, "claim_handoff", `{"wait_seconds":50}`))
	<-s.started
	<-s.started
	c.stop()
	require.Equal(t, "2", string(parse(t, c.nextLine()).ID), "the wait is cut, the other call goes on")
	close(s.release)
	require.Equal(t, "1", string(parse(t, c.nextLine()).ID))
	require.NoError(t, c.awaitEnd())
}

func TestStdio_EndsLongPollsInAnySpellingAtEndOfInput(t *testing.T) {
	for spelled, tool := range map[string]string{
		`{"wait_seconds":50}`: "claim_handoff", `{"waitSeconds":50}`: "claim_handoff", `{"wait_seconds":"50"}`: "claim_handoff",
		`"{\"wait_seconds\":50}"`: "claim_handoff", `{"box":"notices","wait_seconds":50}`: "list_handoffs",
	} {
		cfg := workspace(t)
		c := connectAs(t, cfg, "qa")
		c.send(callRequest(2, tool, spelled))
		require.NoError(t, c.closeInput(), spelled)
		require.Contains(t, strings.Join(c.remainingLines(), ""), "unavailable", spelled)
	}
}

// A request that was read but gets no slot still gets a response.
func TestStdio_DeclinesRequestAfterConnectionEnds(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Drain = time.Minute // the machine may be slow
	c := connect(t, cfg)
	for id := range inFlight {
		c.send(callRequest(id, "send_handoff", `{"do":"hold"}`))
	}
	c.send(ping(inFlight), "") // the empty line is taken in only after the one before it was received
	c.stop()
	got := parse(t, c.nextLine())
	require.Equal(t, strconv.Itoa(inFlight), string(got.ID))
	require.Equal(t, "the server is ending", got.Error.Message)
	close(s.release)
	require.NoError(t, c.awaitEnd())
	require.Len(t, c.remainingLines(), inFlight)
}

func TestStdio_ReportsUnansweredRequestsAfterDrainTimeout(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Drain = time.Millisecond
	c := connect(t, cfg)
	c.send(callRequest(1, "send_handoff", `{"do":"hold"}`))
	<-s.started
	require.EqualError(t, c.closeInput(), "1 request had no answer, or an answer that was not taken, within 1ms")
	close(s.release)
}

func TestStdio_EndsWhenOutputIsClosed(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.out.Close()
	c.send(callRequest(1, "send_handoff", `{}`))
	require.NoError(t, c.awaitEnd())
	require.Len(t, s.callsOf("send_handoff"), 1)
}

func TestStdio_ReportsBrokenOutput(t *testing.T) {
	c := connect(t, config(newStandIn()))
	c.out.CloseWithError(errors.New("disk full"))
	c.send(ping(1))
	require.ErrorContains(t, c.awaitEnd(), "write to client: disk full")
}

func TestStdio_ReportsBrokenInput(t *testing.T) {
	c := connect(t, config(newStandIn()))
	c.in.CloseWithError(errors.New("torn"))
	require.ErrorContains(t, c.awaitEnd(), "read from client: torn")
}

func TestStdio_RefusesTooLongLineWithRequestID(t *testing.T) {
	filler := strings.Repeat("x", jsonrpc.MaxLine)
	for name, tc := range map[string]struct{ line, id string }{
		"id first":   {`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"id":7,"x":"` + filler + `"}}`, `"a"`},
		"id last":    {`{"method":"tools/call","params":{"x":"` + filler + `"},"jsonrpc":"2.0","id":7}`, `7`},
		"id nested":  {`{"method":"tools/call","params":{"x":"` + filler + `","id":7}}`, `null`},
		"id in text": {`{"method":"tools/call","params":{"x":"` + filler + `,\"id\":7}"}}`, `null`},
		"no object":  {filler + "x", `null`},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, config(newStandIn()))
			c.send(tc.line)
			got := parse(t, c.nextLine())
			require.Equal(t, tc.id, string(got.ID))
			require.Equal(t, -32600, got.Error.Code)
			require.Contains(t, got.Error.Message, fmt.Sprintf("has %d bytes, at most %d", len(tc.line), jsonrpc.MaxLine))
			c.send(ping(2))
			require.Equal(t, "2", string(parse(t, c.nextLine()).ID))
		})
	}
}

func TestStdio_AcceptsLongestLine(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	empty := len(callRequest(1, "send_handoff", `{"x":""}`))
	c.send(callRequest(1, "send_handoff", `{"x":"`+strings.Repeat("x", jsonrpc.MaxLine-empty)+`"}`))
	require.False(t, parse(t, c.nextLine()).Result.IsError)
	require.Len(t, s.callsOf("send_handoff"), 1)
}

func TestStdio_RefusesInvalidUTF8WithOffset(t *testing.T) {
	c := connect(t, config(newStandIn()))
	c.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", ping(2))
	got := parse(t, c.nextLine())
	require.Equal(t, -32700, got.Error.Code)
	require.Equal(t, "the message is not valid UTF-8, first at byte 45", got.Error.Message)
	require.Equal(t, "1", string(got.ID))
	require.Equal(t, "2", string(parse(t, c.nextLine()).ID))
}

func TestStdio_ReportsConnectionToMailbox(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Caller.Conn = "c1"
	c := connect(t, cfg)
	c.send(callRequest(1, "claim_handoff", `{}`))
	c.nextLine()
	require.NoError(t, c.closeInput())
	var order []string
	for _, made := range s.calls {
		order = append(order, made.Tool)
		require.Equal(t, "c1", made.Caller.Conn)
	}
	require.Equal(t, []string{"connection_open", "claim_handoff", "connection_close"}, order)
	require.JSONEq(t, `{"conn":"c1"}`, string(s.callsOf("connection_close")[0].Args))
}

func TestStdio_PanicOutsideCallIsInternalError(t *testing.T) {
	cfg := config(newStandIn())
	cfg.Name = func(string) schemas.Agent { panic("a secret of the server") }
	log := captureLog(&cfg)
	c := connect(t, cfg)
	c.send(initialize("qa", "2025-11-25"))
	require.JSONEq(t, `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"internal error"}}`, c.nextLine())
	require.NoError(t, c.closeInput())
	require.Contains(t, log.String(), "a secret of the server")
}
