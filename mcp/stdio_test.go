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
			lines = append(lines, call(id, "send_handoff", `{}`))
		}
		c.send(lines...)
		require.NoError(t, c.leave())
		require.Len(t, c.rest(), 50)
	}
}

func TestStdio_LastLineNeedsNoNewline(t *testing.T) {
	c := connect(t, config(newStandIn()))
	_, err := io.WriteString(c.in, call(1, "send_handoff", `{}`))
	require.NoError(t, err)
	require.NoError(t, c.leave())
	require.Len(t, c.rest(), 1)
}

func TestStdio_AnswersCallDuringManyLongPolls(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	for id := range 300 {
		c.send(call(id, "claim_handoff", `{"wait_seconds":50}`))
	}
	for range 300 {
		<-s.started
	}
	c.send(call(1000, "send_handoff", `{}`))
	require.Equal(t, "1000", string(parse(t, c.next()).ID))
	require.NoError(t, c.leave())
	cut := c.rest()
	require.Len(t, cut, 300)
	require.Contains(t, cut[0], "the call was cut short")
}

// The client writes the cancellation directly after its request, without a pause: it must take effect too.
func TestStdio_CancelEndsLongPollWithoutResponse(t *testing.T) {
	for range 50 {
		c := connect(t, config(newStandIn()))
		c.send(call(1, "claim_handoff", `{"wait_seconds":50}`) + "\n" +
			cancel("1"))
		c.send(ping(2))
		require.Equal(t, "2", string(parse(t, c.next()).ID))
		require.NoError(t, c.leave())
		require.Empty(t, c.rest())
	}
}

func TestStdio_CancelOfTextIDKeepsRequestWithSameNumber(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(call(1, "send_handoff", `{"do":"hold"}`))
	<-s.started
	c.send(cancel(`"1"`), cancel("7"),
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	close(s.release)
	require.Equal(t, "1", string(parse(t, c.next()).ID))
}

func TestStdio_FinishesCallsAtEndOfInput(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(call(1, "send_handoff", `{"do":"hold","task":"wait_seconds"}`), call(2, "claim_handoff", `{"wait_seconds":50}`))
	<-s.started
	<-s.started
	c.stop()
	require.Equal(t, "2", string(parse(t, c.next()).ID), "the wait is cut, the other call goes on")
	close(s.release)
	require.Equal(t, "1", string(parse(t, c.next()).ID))
	require.NoError(t, c.end())
}

func TestStdio_EndsLongPollsInAnySpellingAtEndOfInput(t *testing.T) {
	for spelled, tool := range map[string]string{
		`{"wait_seconds":50}`: "claim_handoff", `{"waitSeconds":50}`: "claim_handoff", `{"wait_seconds":"50"}`: "claim_handoff",
		`"{\"wait_seconds\":50}"`: "claim_handoff", `{"box":"notices","wait_seconds":50}`: "list_handoffs",
	} {
		cfg := workspace(t)
		c := join(t, cfg, "qa")
		c.send(call(2, tool, spelled))
		require.NoError(t, c.leave(), spelled)
		require.Contains(t, strings.Join(c.rest(), ""), "unavailable", spelled)
	}
}

// A request that was read but gets no slot still gets a response.
func TestStdio_DeclinesRequestAfterConnectionEnds(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	for id := range inFlight {
		c.send(call(id, "send_handoff", `{"do":"hold"}`))
	}
	c.send(ping(inFlight), "") // the empty line is taken in only after the one before it was received
	c.stop()
	got := parse(t, c.next())
	require.Equal(t, strconv.Itoa(inFlight), string(got.ID))
	require.Equal(t, "the server is ending", got.Error.Message)
	close(s.release)
	require.NoError(t, c.end())
	require.Len(t, c.rest(), inFlight)
}

func TestBatch_EachMessageTakesOneRequestSlot(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(initialize("old", "2025-03-26"))
	c.next()
	batch := "[" + strings.Repeat(call(1, "send_handoff", `{"do":"hold"}`)+",", 99) + call(1, "send_handoff", `{"do":"hold"}`) + "]"
	const batches = inFlight/100 + 2
	for range batches - 1 {
		c.send(batch)
	}
	for range inFlight {
		<-s.started
	}
	close(s.release)
	c.send(batch)
	require.NoError(t, c.leave())
	require.Len(t, c.rest(), batches)
	require.Len(t, s.made("send_handoff"), batches*100)
	require.LessOrEqual(t, s.most, inFlight)
}

func TestStdio_ReportsUnansweredRequestsAfterDrainTimeout(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Drain = time.Millisecond
	c := connect(t, cfg)
	c.send(call(1, "send_handoff", `{"do":"hold"}`))
	<-s.started
	require.EqualError(t, c.leave(), "1 requests were not answered, or their answers not taken, within 1ms")
	close(s.release)
}

func TestStdio_EndsWhenOutputIsClosed(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.out.Close()
	c.send(call(1, "send_handoff", `{}`))
	require.NoError(t, c.end())
	require.Len(t, s.made("send_handoff"), 1)
}

func TestStdio_ReportsBrokenOutput(t *testing.T) {
	c := connect(t, config(newStandIn()))
	c.out.CloseWithError(errors.New("disk full"))
	c.send(ping(1))
	require.ErrorContains(t, c.end(), "write to client: disk full")
}

func TestStdio_ReportsBrokenInput(t *testing.T) {
	c := connect(t, config(newStandIn()))
	c.in.CloseWithError(errors.New("torn"))
	require.ErrorContains(t, c.end(), "read from client: torn")
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
			got := parse(t, c.next())
			require.Equal(t, tc.id, string(got.ID))
			require.Equal(t, -32600, got.Error.Code)
			require.Contains(t, got.Error.Message, fmt.Sprintf("has %d bytes, at most %d", len(tc.line), jsonrpc.MaxLine))
			c.send(ping(2))
			require.Equal(t, "2", string(parse(t, c.next()).ID))
		})
	}
}

func TestStdio_AcceptsLongestLine(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	empty := len(call(1, "send_handoff", `{"x":""}`))
	c.send(call(1, "send_handoff", `{"x":"`+strings.Repeat("x", jsonrpc.MaxLine-empty)+`"}`))
	require.False(t, parse(t, c.next()).Result.IsError)
	require.Len(t, s.made("send_handoff"), 1)
}

func TestStdio_RefusesInvalidUTF8WithOffset(t *testing.T) {
	c := connect(t, config(newStandIn()))
	c.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", ping(2))
	got := parse(t, c.next())
	require.Equal(t, -32700, got.Error.Code)
	require.Equal(t, "the message is not valid UTF-8, first at byte 45", got.Error.Message)
	require.Equal(t, "1", string(got.ID))
	require.Equal(t, "2", string(parse(t, c.next()).ID))
}

func TestStdio_ReportsConnectionToMailbox(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Caller.Conn = "c1"
	c := connect(t, cfg)
	c.send(call(1, "claim_handoff", `{}`))
	c.next()
	require.NoError(t, c.leave())
	var order []string
	for _, made := range s.calls {
		order = append(order, made.Tool)
		require.Equal(t, "c1", made.Caller.Conn)
	}
	require.Equal(t, []string{"connection_open", "claim_handoff", "connection_close"}, order)
	require.JSONEq(t, `{"conn":"c1"}`, string(s.made("connection_close")[0].Args))
}

func TestStdio_PanicOutsideCallIsInternalError(t *testing.T) {
	cfg := config(newStandIn())
	cfg.Name = func(string) schemas.Agent { panic("a secret of the server") }
	log := logged(&cfg)
	c := connect(t, cfg)
	c.send(initialize("qa", "2025-11-25"))
	require.JSONEq(t, `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"internal error"}}`, c.next())
	require.NoError(t, c.leave())
	require.Contains(t, log.String(), "a secret of the server")
}
