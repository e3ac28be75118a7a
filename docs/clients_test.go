package docs_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// limitsList returns the list of limits for the document, with the flags that change them. It checks that the help
// shows the same defaults.
func limitsList(t *testing.T, p program) string {
	t.Helper()
	help, errs, err := p.shell(t, "handoff mcp --help")
	require.NoError(t, err, errs)
	d := schemas.DefaultLimits()
	var b strings.Builder
	for _, row := range []struct {
		what  string
		limit int
		unit  string
		flag  string
	}{
		{"summary", schemas.MaxSummary, "characters", ""},
		{"detail and data together", schemas.MaxDetail, "characters", ""},
		{"task, a note, a failure's description", d.Task, "bytes", "--max-task-bytes"},
		{"title", d.Title, "bytes", "--max-title-bytes"},
		{"one handoff, one completion or one failure in all", d.Handoff, "bytes", "--max-handoff-bytes"},
		{"content of one reference, of which a handoff may have 32", d.Content, "bytes", "--max-reference-bytes"},
		{"one message over MCP", jsonrpc.MaxLine, "bytes", ""},
		{"pending handoffs in a mailbox", d.Mailbox, "", "--max-pending"},
		{"handoffs from the root of a chain to its end", d.Depth, "", "--max-handoffs"},
		{"tags of a handoff", schemaNumber(t, "SendIn", "tags", "maxItems"), "", ""},
		{"attempts, `options.max_attempts`", schemaNumber(t, "SendOptions", "max_attempts", "maximum"), "", ""},
		{"rows of one list", schemaNumber(t, "ListIn", "limit", "maximum"), "", ""},
		{"one wait, `wait_seconds`", schemaNumber(t, "ClaimIn", "wait_seconds", "maximum"), "seconds", ""},
	} {
		if row.flag != "" {
			require.Regexp(t, fmt.Sprintf(`%s .*\(default %d\)`, row.flag, row.limit), help)
			row.flag = " (`" + row.flag + "`)"
		}
		fmt.Fprintf(&b, "- %s: %s%s\n", row.what, strings.TrimSpace(withThousandsSeparators(row.limit)+" "+row.unit), row.flag)
	}
	require.Regexp(t, `--lease duration .*\(default 15m0s\)`, help)
	require.Regexp(t, `--lease-max duration .*\(default 2h0m0s\)`, help)
	return b.String()
}

// schemaNumber returns a number from the schema of a field, such as its maximum.
func schemaNumber(t *testing.T, message, field, keyword string) int {
	t.Helper()
	var schema struct{ Properties map[string]map[string]any }
	require.NoError(t, json.Unmarshal(schemas.FullSchema(message), &schema))
	number, ok := schema.Properties[field][keyword].(float64)
	require.True(t, ok, "%s.%s: no %s", message, field, keyword)
	return int(number)
}

func withThousandsSeparators(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", withThousandsSeparators(n/1000), n%1000)
}

var addCommand = regexp.MustCompile(`(?m)^claude mcp add .*?(?:-e HANDOFF_AGENT=(\S+) )?-- (.+)$`)

// startAddedServers finds the commands in text that add a server to Claude Code, and starts each server as Claude Code
// would. Other tests check the files that the document shows.
func startAddedServers(t *testing.T, p program, text string) {
	adds := addCommand.FindAllStringSubmatch(text, -1)
	require.Len(t, adds, 2)
	for _, add := range adds {
		p, agent := p.withNewHome(t), "claude-code"
		if add[1] != "" {
			p.env, agent = append(p.env, "HANDOFF_AGENT="+add[1]), add[1]
		}
		p.openSession(t, agent, strings.Fields(add[2]))
	}
}

// openSession starts a server and opens a connection as a client would. It runs a command while the connection is open.
// Then it closes the connection and waits for the end of the server.
func (p program) openSession(t *testing.T, agent string, line []string) {
	t.Helper()
	require.Equal(t, "handoff", line[0])
	server := exec.CommandContext(t.Context(), p.path, line[1:]...)
	server.Env, server.Dir = p.env, p.dir
	in, err := server.StdinPipe()
	require.NoError(t, err)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())

	_, err = fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}`)
	require.NoError(t, err)
	answer, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, answer, "You are "+agent+" in workspace readme.")

	_, errs, err := p.shell(t, "handoff list")
	require.NoError(t, err, errs)

	require.NoError(t, in.Close())
	require.NoError(t, server.Wait())
}
