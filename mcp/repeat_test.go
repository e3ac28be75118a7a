package mcp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
)

// A load balancer repeats a request at another server. The request takes effect once, and the repeat gets the same
// result.
func TestRepeatedRequest_TakesEffectOnce(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			one, other := serve(t, cfg, mcp.HTTPConfig{}), serve(t, cfg, mcp.HTTPConfig{})
			send := func(s *site, agent string, at time.Time, request string, id int) string {
				name := fmt.Sprintf("%.3f %s", float64(at.UnixMilli())/1000, request)
				c := s.join(era, agent)
				c.httpClient = c.withHeaders(mcp.RequestHeader, name)
				return parse(t, c.post(c.call(id, "send_handoff", `{"to":"qa","task":"Test the login"}`)).body).text()
			}
			now := time.Now()
			first := send(one, "architect", now, "a", 7)
			require.Equal(t, first, send(other, "architect", now, "a", 7))
			for what, text := range map[string]string{
				"another request":          send(other, "architect", now, "b", 7),
				"another message of it":    send(other, "architect", now, "a", 8),
				"another caller":           send(other, "lead", now, "a", 7),
				"another time":             send(other, "architect", now.Add(time.Second), "a", 7),
				"a time that is long over": send(other, "architect", now.Add(-time.Hour), "a", 7),
			} {
				require.NotEqual(t, first, text, what)
			}
			old := now.Add(-time.Hour)
			require.NotEqual(t, send(one, "architect", old, "c", 7), send(other, "architect", old, "c", 7), "it is ignored")
		})
	}
}
