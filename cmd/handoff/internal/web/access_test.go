package web_test

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
)

func TestAccessLog_HasRequestAndNoSecret(t *testing.T) {
	s := startServer(t, web.Config{MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.AddLogAttributes(r.Context(), slog.String("token", "ci"), slog.String("agent", "qa"))
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})})
	web.AddLogAttributes(t.Context(), slog.String("nowhere", "noted"))
	secret := "hoff_secret"
	host := " HTTP/1.1\nHost: " + s.addr + "\n"
	for _, request := range []string{
		"GET /mcp?token=" + secret + host + "Authorization: Bearer " + secret + "\n\n",
		"GET /mcp/" + secret + host + "Mcp-Session-Id: " + secret + "\n\n",
		"GET /healthz" + host + "Origin: http://" + secret + "\n\n",
		"DELETE /mcp" + host + "Content-Length: 11\n\n" + secret,
		"GET /mcp HTTP/1.1\nHost: " + secret + "\n\n",
	} {
		s.sendRaw(request)
	}
	s.stop()
	var lines []string
	for line := range strings.Lines(s.log.String()) {
		lines = append(lines, line)
	}
	require.Len(t, lines, 5)
	const rest = ` took=\S+ remote=127\.0\.0\.1:\d+`
	require.Regexp(t, `level=DEBUG msg=request method=GET path=/mcp status=200`+rest+` token=ci agent=qa\n$`, lines[0])
	require.Regexp(t, `level=DEBUG msg=request method=GET path="" status=404`+rest+`\n$`, lines[1])
	require.Regexp(t, `level=INFO msg=request method=GET path="" status=403`+rest+`\n$`, lines[2])
	require.Regexp(t, `level=INFO msg=request method=DELETE path=/mcp status=429`+rest+` token=ci agent=qa\n$`, lines[3])
	require.Regexp(t, `level=INFO msg=request method=GET path="" status=403`+rest+`\n$`, lines[4])
	require.NotContains(t, s.log.String(), "secret")
	require.NotContains(t, s.log.String(), "noted")
}

func TestAccessLog_PanicIsServerError(t *testing.T) {
	s := startServer(t, web.Config{MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
		}
		panic("a bug")
	})})
	response, body := s.get("/mcp")
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.NotContains(t, body, "a bug")

	cut, err := http.ReadResponse(bufio.NewReader(s.dial(s.post("{}"))), nil)
	require.NoError(t, err)
	defer cut.Body.Close()
	_, err = io.ReadAll(cut.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "half an answer does not pass for a whole one")
	require.Contains(t, s.log.String(), `level=ERROR msg="handler broke" panic="a bug" stack=`)
}
