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

// desk is a workspace whose claim tokens look real.
type desk struct {
	*mailboxtest.World
	t *testing.T
}

func newDesk(t *testing.T) *desk {
	claims := 0
	readable := func(c *mailbox.Config) {
		c.NewID = func(prefix string) string {
			if prefix == "ct" {
				claims++
			}
			return fmt.Sprintf("%s_k3v9x2m7q4w8z1b%d", prefix, claims)
		}
	}
	return &desk{mailboxtest.New(t, mailboxtest.On(memory.New()), readable), t}
}

// connect opens a connection for an agent.
func (d *desk) connect(agent schemas.Agent) schemas.Caller {
	by := schemas.Caller{Agent: agent, Via: schemas.ViaStdio, Conn: "conn_" + string(agent)}
	d.must(by, "connection_open", fmt.Sprintf(`{"conn": %q}`, by.Conn))
	return by
}

func (d *desk) must(by schemas.Caller, tool, args string) json.RawMessage {
	d.t.Helper()
	out, err := tools.Local{Mailbox: d.Service}.Invoke(d.t.Context(), tools.Call{Caller: by, Tool: tool, Args: json.RawMessage(args)})
	require.NoError(d.t, err)
	return out
}

// field is one text in a result.
func (d *desk) field(result json.RawMessage, name string) string {
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

// exchange is a handoff from send to outcome, as the tools answer.
func exchange(t *testing.T) string {
	d := newDesk(t)
	architect, coder := d.connect("architect"), d.connect("auto-code")
	var b strings.Builder
	d.show(&b, architect, "send_handoff", exampleSend)
	d.Pass(time.Minute)
	d.show(&b, coder, "claim_handoff", `{}`)
	d.Pass(9 * time.Minute)
	d.show(&b, coder, "complete_handoff", exampleComplete)
	return strings.TrimSpace(b.String()) + "\n"
}

// show writes a call and its result. A brief is shown below the result that holds it, as the text it is. Of the calls
// that lead on, with which every result ends, only the first shows its own.
func (d *desk) show(b *strings.Builder, by schemas.Caller, tool, args string) {
	d.t.Helper()
	result := d.must(by, tool, args)
	brief := ""
	if bytes.Contains(result, []byte(`"brief":`)) {
		brief = d.field(result, "brief")
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
