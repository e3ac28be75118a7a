//go:build unix

package network_test

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
	"handoff/schemas"
)

// body returns a unique text: it stands for the content of agents.
func body(field string) string { return bodies + field }

const bodies = "BoDy7q-"

// TestTelemetry_HasNoContent puts a secret text into every field that a client can fill, on two servers with full logs
// of different forms. Logs, metrics and spans must not contain the text. Events contain it, for watchers. Secrets of
// tokens must appear nowhere.
func TestTelemetry_HasNoContent(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := newSite(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key="+body("collector"),
		"OTEL_BSP_SCHEDULE_DELAY=200")
	q := &confidences{
		t: t, good: s.token("good", "ann,ben", "--rate", "100000"), read: s.token("read", "ann", "--scope", "read", "--rate", "100000"), slow: s.token("slow", "ann", "--rate", "1"),
		revoked: s.token("old", "ann"), unknown: auth.NewSecret(rand.Reader),
	}
	q.misspelt = q.good[:len(q.good)-3] + "x_x"
	q.jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJCb0R5N3EifQ.c2VjcmV0c2VjcmV0"
	s.must("token", "revoke", "old")
	servers := []*server{s.serve("--log-level", "debug"), s.serve("--log-level", "debug", "--log-format", "json")}
	for _, v := range servers {
		for _, era := range eras {
			q.strangers(v, era)
			q.faults(v, era)
			q.work(v.bare(q.good, era))
		}
	}
	require.Greater(t, q.told, 200)
	require.Eventually(t, func() bool { return c.count("handoff") >= 4 }, 30*time.Second, 20*time.Millisecond)

	public := map[string]string{"events": s.events()}
	for i, v := range servers {
		_, public[fmt.Sprintf("figures %d", i)] = v.page("/metrics", q.good)
		_, public[fmt.Sprintf("readiness %d", i)] = v.page("/readyz?key="+body("query"), q.good)
		require.Less(t, v.stop(), 2*time.Second)
		public[fmt.Sprintf("log %d", i)] = v.log.String()
	}
	public["spans"] = c.String()
	public["logs"] = s.must("logs", "--lines", "10000")
	require.Contains(t, public["log 0"], "level=DEBUG")
	require.Contains(t, public["log 1"], `"level":"DEBUG"`)
	require.Contains(t, public["figures 0"], "handoff_calls_total")
	require.Contains(t, public["events"], `"action":"completed"`)
	secrets := append(q.secrets(), q.claims...)
	for where, text := range public {
		hidden := secrets
		if where != "events" { // events show content to watchers
			hidden = append(slices.Clone(secrets), bodies)
		}
		q.search(where, text, hidden)
	}
	q.searchFiles(s.state)
	t.Logf("%d requests told the servers secrets; of %d bytes of logs, figures, spans and events none has a secret", q.told, total(public))
}

func total(texts map[string]string) (n int) {
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// confidences are the secret texts of the test.
type confidences struct {
	t *testing.T

	good, read, slow, revoked, unknown, misspelt, jwt string // bearers

	claims []string // tokens of claims
	told   int      // requests
}

// secrets returns the secrets of the tokens.
func (q *confidences) secrets() []string {
	return []string{q.good, q.read, q.slow, q.revoked, q.unknown, q.misspelt, q.jwt}
}

// search looks for texts that should not be there.
func (q *confidences) search(where, text string, hidden []string) {
	q.t.Helper()
	for _, secret := range hidden {
		if secret == "" {
			continue // there is none of that kind
		}
		if i := strings.Index(text, secret); i >= 0 {
			q.t.Errorf("%s: …%q…", where, text[max(0, i-200):min(len(text), i+len(secret)+100)])
		}
	}
}

// searchFiles looks for secrets of tokens in all files of the program. Content of agents is kept, and so are claim
// tokens.
func (q *confidences) searchFiles(dir string) {
	q.t.Helper()
	files := 0
	require.NoError(q.t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		q.search(filepath.Base(path), string(content), q.secrets())
		return err
	}))
	require.Positive(q.t, files)
}

// events returns all events in the form for programs, with titles and content for watchers.
func (s *site) events() string {
	s.t.Helper()
	last := s.verify().Events
	watch := s.command(s.ctx, "watch", "--json", "--since", "0")
	out, err := watch.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, watch.Start())
	var text strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var change schemas.RegistryChange
		require.NoError(s.t, json.Unmarshal(lines.Bytes(), &change))
		title, err := json.Marshal(change.Title)
		require.NoError(s.t, err)
		text.WriteString(strings.Replace(lines.Text(), `"title":`+string(title), "", 1))
		if change.N >= last {
			break
		}
	}
	require.NoError(s.t, watch.Process.Kill())
	_ = watch.Wait() // it was killed
	return text.String()
}

// strangers come with bad tokens, and with secrets where none belong.
func (q *confidences) strangers(v *server, era string) {
	q.t.Helper()
	good := v.bare(q.good, era)
	for _, bearer := range []string{q.revoked, q.unknown, q.misspelt, q.jwt, "", body("bearer"), " " + q.good} {
		b := good.as(func(b *bare) { b.secret = bearer })
		q.tell(b, b.call(1, "send_handoff", said{"to": "ben", "task": body("task")}))
	}
	for _, header := range []string{
		"Handoff-Agent", "Origin", "Host", "Cookie", "X-Api-Key", "User-Agent", "Referer", "Traceparent", "Tracestate", "Baggage",
		"X-Forwarded-For", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Content-Encoding", "Accept-Language",
	} {
		for _, text := range []string{body(header + "!"), q.good} {
			b := good.as(func(b *bare) { b.header.Set(header, text) })
			if header == "Mcp-Session-Id" {
				b.session = text
			}
			q.tell(b, b.call(1, "list_agents", said{}))
		}
	}
	for _, path := range []string{
		"/mcp?access_token=" + q.good, "/mcp?q=" + body("query"), "/" + body("path"), "/" + q.good, "/metrics?t=" + q.good,
		"/healthz?" + body("query"), "/mcp/" + q.good, "/.well-known/" + body("path"), "/%" + q.good,
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS", strings.ToUpper(strings.ReplaceAll(bodies, "-", ""))} {
			conn := v.dial(method + " " + path + " HTTP/1.1\r\nHost: " + v.addr + "\r\nConnection: close\r\nAuthorization: Bearer " + q.good + "\r\n\r\n")
			_, err := hears(conn, 10*time.Second)
			require.NoError(q.t, err)
			q.told++
		}
	}
	for range 25 { // until it is too much
		b := good.as(func(b *bare) { b.secret, b.session = q.slow, "" })
		q.tell(b, b.call(1, "send_handoff", said{"to": "ben", "task": body("limited")}))
	}
}

// faults are messages that are no good, and calls that are refused.
func (q *confidences) faults(v *server, era string) {
	q.t.Helper()
	b, reader := v.bare(q.good, era), v.bare(q.read, era)
	x := body("wrong!") // which is not even a name
	for _, m := range []said{
		b.message(x, x, said{x: x}), b.message(1, "tools/call", said{"name": x, "arguments": said{x: x}}),
		b.message(1, "tools/call", said{"name": "send_handoff", "arguments": x}), b.message(1, "resources/read", said{"uri": "handoff://handoff/" + x}),
		b.message(1, "resources/read", said{"uri": x}), b.message(1, "resources/subscribe", said{"uri": x}),
		b.message(1, "prompts/get", said{"name": "send", "arguments": said{"to": "ben", "task": x, "agent": x}}), b.message(1, "prompts/get", said{"name": x}),
		b.message(1, "completion/complete", said{"ref": said{"type": "ref/prompt", "name": "send"}, "argument": said{"name": "to", "value": x}}),
		b.message(1, "logging/setLevel", said{"level": x}), b.message(nil, "notifications/"+x, said{x: x}),
		b.message(nil, "notifications/cancelled", said{"requestId": x, "reason": x}), b.message(1, "server/discover", said{x: x}),
		b.message(1, "initialize", said{"protocolVersion": x, "capabilities": said{x: x}, "clientInfo": said{"name": x, "version": x}}),
		b.call(1, "send_handoff", said{"to": x, "task": x}), b.call(1, "send_handoff", said{"to": "ben", "task": x, x: x}),
		b.call(1, "send_handoff", said{"to": "ben", "task": x, "deadline": x}), b.call(1, "send_handoff", said{"to": "ben", "task": strings.Repeat(x, 1000)}),
		b.call(1, "send_handoff", said{"to": "ben", "task": []any{x}, "expectations": said{"output_schema": said{"type": x}}}),
		b.call(1, "complete_handoff", said{"handoff_id": x, "summary": x}), b.call(1, "claim_handoff", said{"handoff_id": x, "agent": x}),
		b.call(1, "complete_handoff", said{"handoff_id": "1", "summary": x, "claim_token": x}), b.call(1, "update_handoff", said{"handoff_id": "1", "action": x, "note": x}),
		b.call(1, "get_handoff", said{"handoff_id": "999999", "view": x}), b.call(1, "list_handoffs", said{"query": x, "cursor": x, "since": x}),
		reader.call(1, "send_handoff", said{"to": "ben", "task": x}), b.call(1, "list_agents", said{"agent": x}),
	} {
		q.tell(b, m)
	}
	q.tell(reader, reader.call(1, "send_handoff", said{"to": "ben", "task": x}))
	deep := strings.Repeat("[", 20_000)
	for _, text := range []string{
		x, `{"` + x, `{"jsonrpc":"` + x + `"}`, `["` + x + `"]`, `"` + x + `"`, `{"jsonrpc":"2.0","id":{"` + x + `":1},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"` + x + "\xff\"}", `{"a":"` + x + `","b":` + deep, strings.Repeat(x, 1_000_000),
	} {
		r, err := http.NewRequestWithContext(v.ctx, http.MethodPost, v.url, strings.NewReader(text))
		require.NoError(q.t, err)
		b.dress(r)
		resp, err := b.http.Do(r)
		require.NoError(q.t, err)
		require.NoError(q.t, resp.Body.Close())
		require.Less(q.t, resp.StatusCode, 500)
		q.told++
	}
}

func (q *confidences) tell(b *bare, m said) {
	q.t.Helper()
	resp, err := b.post(b.v.ctx, m)
	require.NoError(q.t, err)
	require.NoError(q.t, resp.Body.Close())
	require.Less(q.t, resp.StatusCode, 500)
	q.told++
}

// work is a handoff with something to tell in every field, that comes back, fails, and is done in the end.
func (q *confidences) work(b *bare) {
	q.t.Helper()
	x := func(field string) []string { return []string{body(field)} }
	q.does(b, "register_agent", said{"name": "ben", "description": body("description"), "skills": []string{"go"}})
	q.does(b, "send_handoff", said{"to": "ben", "task": body("message"), "type": "message", "title": body("title")})
	sent := q.does(b, "send_handoff", said{
		"to": "ben", "task": body("task"), "title": body("title"), "summary": body("summary"), "detail": body("detail"), "parent": "none",
		"data": said{body("key"): body("datum")}, "key": body("key") + b.v.addr + b.era,
		"context": said{
			"original_request": body("request"), "completed_steps": x("step"), "state": said{body("name"): body("state")}, "memories": x("memory"),
			"known_issues": x("issue"), "test_command": body("command"), "decisions": []said{{"decision": body("decision"), "rationale": body("why")}},
			"files": []said{{"path": body("file"), "note": body("note")}}, "artifacts": []said{{"type": "text", "content": body("artifact")}},
		},
		"expectations": said{
			"success_criteria": x("criterion"), "constraints": x("constraint"), "if_stuck": x("stuck"),
			"output_schema": said{"type": "object", "required": []string{body("required")}},
		},
		"rollback": said{"failure_context": x("failure"), "on_failure": "ann"}, "options": said{"reason": body("reason"), "phase": "p"},
	})
	id := sent.HandoffID.String()
	claim := q.does(b, "claim_handoff", said{"agent": "ben", "handoff_id": id}).Token
	q.claims = append(q.claims, claim)
	as := said{"agent": "ben", "handoff_id": id, "claim_token": claim}
	with := func(more said) said {
		args := said{}
		maps.Copy(args, as)
		maps.Copy(args, more)
		return args
	}
	q.does(b, "update_handoff", with(said{"action": "progress", "note": body("progress"), "percent": 5}))
	q.tell(b, b.call(1, "complete_handoff", with(said{"summary": body("unfit"), "output": said{body("other"): body("output")}})))
	q.does(b, "fail_handoff", with(said{
		"description": body("broken"), "type": "blocker", "blockers": []said{{"type": "t", "description": body("blocker")}},
		"partial_progress": said{"completed": x("completed"), "incomplete": x("incomplete")}, "questions": x("question"), "then": "stop",
		"checkpoint": said{"state": said{"s": body("checkpoint")}, "note": body("note")},
	}))
	done := q.does(b, "send_handoff", said{"to": "ben", "task": body("task"), "parent": "none"})
	claim = q.does(b, "claim_handoff", said{"agent": "ben", "handoff_id": done.HandoffID.String()}).Token
	q.claims = append(q.claims, claim)
	q.does(b, "complete_handoff", said{
		"agent": "ben", "handoff_id": done.HandoffID.String(), "claim_token": claim, "summary": body("done"), "detail": body("detail"),
		"results": said{"branch": body("branch")}, "notes": x("note"), "deliverables": []said{{"description": body("delivered")}},
		"verification": said{"commands": []said{{"command": body("command"), "exit_code": 1, "output": body("output")}}},
		"continuation": said{"to": "ann", "task": body("continuation")},
	})
	for _, tool := range []string{"list_handoffs", "list_agents", "handoff_history"} {
		q.tell(b, b.call(1, tool, said{}))
	}
	q.tell(b, b.call(1, "get_handoff", said{"handoff_id": id}))
	q.tell(b, b.message(1, "resources/read", said{"uri": "context://" + id}))
}

// does makes a call that has to succeed.
func (q *confidences) does(b *bare, tool string, args said) (out struct {
	HandoffID schemas.ID `json:"handoff_id"`
	Token     string     `json:"claim_token"`
},
) {
	q.t.Helper()
	_, a := b.tool(tool, args)
	require.NotNil(q.t, a.Result, "%s: %+v", tool, a.Error)
	require.False(q.t, a.Result.IsError, "%s: %v", tool, a.Result.Content)
	require.NoError(q.t, json.Unmarshal(a.Result.StructuredContent, &out))
	q.told++
	return out
}

// A user that mistakes fields gives a secret as a name, and refused names are kept.
func TestTelemetry_HasNoSecretGivenAsName(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	q := &confidences{t: t, good: s.token("good", "ann")}
	v := s.serve("--log-level", "debug")
	for _, era := range eras {
		b := v.bare(q.good, era)
		_, a := b.tool("claim_handoff", said{"agent": q.good})
		require.True(t, a.Result.IsError)
		other := b.as(func(b *bare) { b.header.Set("Handoff-Agent", q.good) })
		status, _ := other.tool("claim_handoff", said{})
		require.Equal(t, http.StatusForbidden, status)
	}
	v.stop()
	q.search("log", v.log.String(), q.secrets())
	q.searchFiles(s.state)
}
