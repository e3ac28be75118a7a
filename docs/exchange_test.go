package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store/memory"
	"handoff/tools"
)

// exampleWorkspace is a workspace with fixed claim tokens that look like real tokens.
type exampleWorkspace struct {
	*mailboxtest.World
	t *testing.T
}

func newExampleWorkspace(t *testing.T) *exampleWorkspace {
	claims := 0
	readable := func(c *mailbox.Config) {
		c.NewID = func(prefix string) string {
			if prefix == "ct" {
				claims++
			}
			return fmt.Sprintf("%s_k3v9x2m7q4w8z1b%d", prefix, claims)
		}
	}
	return &exampleWorkspace{mailboxtest.New(t, mailboxtest.InBackend(memory.New()), readable), t}
}

// connect opens a connection for an agent.
func (d *exampleWorkspace) connect(agent schemas.Agent) schemas.Caller {
	by := schemas.Caller{Agent: agent, Via: schemas.ViaStdio, Conn: "conn_" + string(agent)}
	d.mustInvoke(by, "connection_open", fmt.Sprintf(`{"conn": %q}`, by.Conn))
	return by
}

func (d *exampleWorkspace) mustInvoke(by schemas.Caller, tool, args string) json.RawMessage {
	d.t.Helper()
	out, err := tools.LocalInvoker{Mailbox: d.Service}.Invoke(d.t.Context(), tools.Call{Caller: by, Tool: tool, Args: json.RawMessage(args)})
	require.NoError(d.t, err)
	return out
}

// resultText returns the text of one field of a result.
func (d *exampleWorkspace) resultText(result json.RawMessage, name string) string {
	d.t.Helper()
	var fields map[string]any
	require.NoError(d.t, json.Unmarshal(result, &fields))
	text, ok := fields[name].(string)
	require.True(d.t, ok, "%s in %s", name, result)
	return text
}

const (
	exampleSend = `{
  "to": "auto-code",
  "title": "Retry uploads",
  "task": "Let the uploader try three times before it reports an error.",
  "summary": "One upload in 200 fails because the proxy resets the connection.",
  "context": {
    "files": [{"path": "upload/client.go", "lines": "40-88"}]
  },
  "expectations": {"success_criteria": ["go test ./upload passes", "A test covers a reset connection"]}
}`
	exampleComplete = `{
  "handoff_id": "ho_1",
  "claim_token": "ct_k3v9x2m7q4w8z1b1",
  "summary": "The uploader tries three times and waits longer each time.",
  "results": {"commit": "4f2c1aa"},
  "verification": {
    "criteria": [
      {"criterion": 1, "met": true, "evidence": "ok handoff/upload 0.8s"},
      {"criterion": 2, "met": true, "evidence": "TestUploadAfterReset"}
    ]
  }
}`
)

// exampleExchange plays a handoff from send to completion, and returns all calls with their answers as Markdown.
func exampleExchange(t *testing.T) string {
	d := newExampleWorkspace(t)
	architect, coder := d.connect("architect"), d.connect("auto-code")
	var b strings.Builder
	d.writeCall(&b, architect, "send_handoff", exampleSend)
	d.Pass(time.Minute)
	d.writeCall(&b, coder, "claim_handoff", `{}`)
	d.Pass(9 * time.Minute)
	d.writeCall(&b, coder, "complete_handoff", exampleComplete)
	return strings.TrimSpace(b.String()) + "\n"
}

// writeCall makes a call and writes it with its result. It writes a brief as text below the result. Only the first call
// shows the field next, with which every result ends.
func (d *exampleWorkspace) writeCall(b *strings.Builder, by schemas.Caller, tool, args string) {
	d.t.Helper()
	result := d.mustInvoke(by, tool, args)
	brief := ""
	if bytes.Contains(result, []byte(`"brief":`)) {
		brief = d.resultText(result, "brief")
		result = bytes.Replace(result, quoted(d.t, brief), []byte(`"(below)"`), 1)
	}
	if b.Len() > 0 {
		before, _, found := bytes.Cut(result, []byte(`,"next":`))
		require.True(d.t, found, "%s", result)
		result = append(before, '}')
	}
	var indented bytes.Buffer
	require.NoError(d.t, json.Indent(&indented, result, "", "  "))
	fmt.Fprintf(b, "`%s` calls `%s`:\n\n```json\n%s\n```\n\nand is answered:\n\n```json\n%s\n```\n\n", by.Agent, tool, args, &indented)
	if brief != "" {
		fmt.Fprintf(b, "The brief is:\n\n```markdown\n%s\n```\n\n", strings.TrimSpace(brief))
	}
}

func quoted(t *testing.T, text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(text))
	return bytes.TrimSpace(b.Bytes())
}
