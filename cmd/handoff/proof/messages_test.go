package proof_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/respell/respelltest"
)

// The messages of other protocols, from public documents, each with its tool. The .map.json of a message names the
// argument for each of its values; testdata/shown.txt says where get_handoff shows that argument. A message without
// recipient or task is sent with both.
var publicMessages = []struct{ name, tool, to, task string }{
	{name: "handoff-protocol-agent-handoff", tool: "send_handoff"},
	{name: "handoff-protocol-agent-completion", tool: "complete_handoff"},
	{name: "handoff-protocol-agent-failure", tool: "fail_handoff"},
	{name: "kelos-task-handoff", tool: "send_handoff", to: "qa", task: "Fix the login"},
	{name: "kelos-task-handoff", tool: "complete_handoff"},
	{name: "coordination-plan-mail", tool: "send_handoff"},
	{name: "coordination-plan-mail-built", tool: "send_handoff"},
	{name: "coordination-plan-task", tool: "send_handoff"},
	{name: "coordination-plan-task-every-field", tool: "send_handoff"},
	{name: "agent-handoff-protocols-package", tool: "send_handoff"},
	{name: "agent-handoff-protocols-rejection", tool: "fail_handoff"},
	{name: "kernl-handoff", tool: "send_handoff"},
}

func TestMessages_AreAllTried(t *testing.T) {
	files, err := filepath.Glob(messagePath("*.map.json"))
	require.NoError(t, err)
	tried := map[string]bool{}
	for _, m := range publicMessages {
		tried[m.name] = true
	}
	require.Len(t, files, len(tried), "a message and its map each")
}

func TestMessages_ThroughCommandLine(t *testing.T) {
	t.Parallel()
	for _, m := range publicMessages {
		t.Run(m.tool+" "+m.name, func(t *testing.T) {
			d := commandtest.NewDesk(t)
			file, err := filepath.Abs(messagePath(m.name + ".json"))
			require.NoError(t, err)
			args := []string{strings.TrimSuffix(m.tool, "_handoff"), "--file", file}
			switch {
			case m.to != "":
				args = append(args, m.to, m.task)
			case m.tool != "send_handoff":
				begin := messagePath("handoff-protocol-agent-handoff.json")
				begin, err = filepath.Abs(begin)
				require.NoError(t, err)
				d.Must("architect", "send", "--file", begin)
				d.Must("auto-code", "claim")
				if !names(t, m.name) {
					args = append(args, "1")
				}
				if m.tool == "complete_handoff" && m.name == "kelos-task-handoff" {
					args = append(args, "--met", "1,2,3")
				}
			}
			d.Must("auto-code", args...)
			requireShown(t, m.tool, m.name, commandtest.ParseRecord(t, []byte(d.Must("auto-code", "show", "1", "--full", "--json"))))
		})
	}
}

func TestMessages_ThroughTools(t *testing.T) {
	for _, m := range publicMessages {
		t.Run(m.tool+" "+m.name, func(t *testing.T) {
			o := newOffice(t)
			args := readMessage(t, m.name)
			switch {
			case m.to != "":
				args["to"], args["task"] = m.to, m.task
			case m.tool != "send_handoff":
				o.must("architect", "send_handoff", commandtest.AsJSON(t, readMessage(t, "handoff-protocol-agent-handoff")))
				o.must("auto-code", "claim_handoff", `{}`)
				if !names(t, m.name) {
					args["handoff_id"] = 1
				}
				if m.tool == "complete_handoff" && m.name == "kelos-task-handoff" {
					args["verification"] = json.RawMessage(`{"criteria":[{"criterion":1,"met":true},{"criterion":2,"met":true},{"criterion":3,"met":true}]}`)
				}
			}
			o.must("auto-code", m.tool, commandtest.AsJSON(t, args))
			requireShown(t, m.tool, m.name, o.must("auto-code", "get_handoff", `{"handoff_id": "ho_1", "view": "full"}`))
		})
	}
}

// names reports whether a message names the handoff it is about.
func names(t *testing.T, message string) bool { return readMessage(t, message)["handoff_id"] != nil }

func messagePath(name string) string {
	dir := filepath.Join("examples", "messages")
	if strings.HasSuffix(name, ".map.json") {
		dir = filepath.Join("schemas", "respell", "testdata", "messages")
	}
	return filepath.Join("..", "..", "..", dir, name)
}

func readMessage(t *testing.T, name string) commandtest.Record {
	t.Helper()
	b, err := os.ReadFile(messagePath(name + ".json"))
	require.NoError(t, err)
	return commandtest.ParseRecord(t, b)
}

// requireShown finds every value of a message in the result of get_handoff.
func requireShown(t *testing.T, tool, message string, full commandtest.Record) {
	t.Helper()
	b, err := os.ReadFile(messagePath(message + ".map.json"))
	require.NoError(t, err)
	var arguments map[string]string
	require.NoError(t, json.Unmarshal(b, &arguments))

	where := readShown(t)
	said := respelltest.LeavesByPath(readMessage(t, message))
	for _, path := range slices.Sorted(maps.Keys(said)) {
		if carriesNothing(said[path]) {
			continue
		}
		argument := arguments[path]
		require.NotEmpty(t, argument, "%s has no place", path)
		places := where.of(tool, argument)
		require.NotEmpty(t, places, "%s is shown nowhere", argument)
		found := slices.ContainsFunc(places, func(p string) bool { return kept(said[path], respelltest.ValueAt(full, p), argument) })
		require.True(t, found, "%s is %v, and %v has it not: %s", path, said[path], places, commandtest.AsJSON(t, full))
	}
}
