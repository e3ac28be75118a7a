package respell_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/respell"
	"handoff/schemas/respell/respelltest"
)

// toolByMessage lists real messages of other protocols, as files in examples/messages, with the tool that each is for.
// For each file, a .map.json file in testdata gives the expected place of each value: it maps the path in the message to
// the path in our arguments. The path "" stands for null and empty values, which are dropped.
var toolByMessage = map[string]string{
	"agent-handoff-protocols-package":    "send_handoff",
	"agent-handoff-protocols-rejection":  "fail_handoff",
	"coordination-plan-mail":             "send_handoff",
	"coordination-plan-mail-built":       "send_handoff",
	"coordination-plan-task":             "send_handoff",
	"coordination-plan-task-every-field": "send_handoff",
	"handoff-protocol-agent-handoff":     "send_handoff",
	"handoff-protocol-agent-completion":  "complete_handoff",
	"handoff-protocol-agent-failure":     "fail_handoff",
	"kelos-task-handoff":                 "send_handoff",
	"kernl-handoff":                      "send_handoff",
}

func TestNormalise_KeepsEveryForeignValue(t *testing.T) {
	for name, tool := range toolByMessage {
		t.Run(name, func(t *testing.T) {
			message := decode(t, readMessage(t, name+".json"))
			var where map[string]string
			require.NoError(t, json.Unmarshal([]byte(readMessage(t, name+".map.json")), &where))

			args, err := respell.Normalise(tool, message)
			require.NoError(t, err)
			kept := decode(t, encode(t, decodeStrictly(t, tool, args)))

			said := respelltest.LeavesByPath(message)
			for path := range where {
				require.Contains(t, said, path)
			}
			for path, v := range said {
				require.Contains(t, where, path)
				requireKeptAt(t, v, args, where[path])
				if isZero(v) {
					continue // an omitted zero
				}
				requireKeptAt(t, v, kept, where[path])
			}
		})
	}
}

func TestMessageFiles_AllAreInTable(t *testing.T) {
	for _, pattern := range []string{"testdata/messages/*.json", "../../examples/messages/*-*.json"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.Len(t, files, len(toolByMessage))
	}
}

// The payload of Kelos has the same form in the message that begins a handoff and in the message that completes it.
func TestNormalise_KelosPayloadOfCompletionIsUnchanged(t *testing.T) {
	message := decode(t, readMessage(t, "kelos-task-handoff.json"))
	args, err := respell.Normalise("complete_handoff", message)
	require.NoError(t, err)
	require.Equal(t, message, args)
}

func TestNormalise_FillsRequiredTextsFromOtherFields(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"handoff-protocol-agent-handoff": {"task": "Implementation of authentication module"},
		"handoff-protocol-agent-completion": {
			"summary": "Added refresh token rotation for security; Included rate limiting on auth endpoints",
		},
		"coordination-plan-mail": {"task": "implementation_to_testing: .factory-abc123"},
		"coordination-plan-mail-built": {
			"task":  "FIX (conditional): Task 1.1: Detect operating mode",
			"title": "FIX (conditional): Task 1.1: Detect operating mode",
		},
		"agent-handoff-protocols-rejection": {"outcome": "rejected"},
	} {
		args, err := respell.Normalise(toolByMessage[name], decode(t, readMessage(t, name+".json")))
		require.NoError(t, err)
		for field, text := range want {
			require.Equal(t, text, args[field], name)
		}
	}
}

func readMessage(t testing.TB, name string) string {
	t.Helper()
	folder := "../../examples"
	if strings.HasSuffix(name, ".map.json") {
		folder = "testdata"
	}
	b, err := os.ReadFile(filepath.Join(folder, "messages", name))
	require.NoError(t, err)
	return string(b)
}

// decodeStrictly decodes args into the Go type of the tool's arguments, and fails the test if a field is unknown.
func decodeStrictly(t testing.TB, tool string, args map[string]any) any {
	t.Helper()
	in := map[string]any{
		"send_handoff": &schemas.SendIn{}, "complete_handoff": &schemas.CompleteIn{}, "fail_handoff": &schemas.FailIn{},
	}[tool]
	d := json.NewDecoder(strings.NewReader(encode(t, args)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(in))
	return in
}

func isZero(v any) bool { return v == json.Number("0") || v == false }

func requireKeptAt(t testing.TB, said any, args map[string]any, path string) {
	t.Helper()
	if path == "" {
		require.Empty(t, said)
		return
	}
	have := respelltest.ValueAt(args, path)
	require.True(t, isKeptAs(said, have, path), "%v is not at %s, but %v", said, path, have)
}

// isKeptAs reports whether the value said was kept as have: unchanged, or in the form that the argument at this path
// needs.
func isKeptAs(said, have any, path string) bool {
	field, _, _ := strings.Cut(path, "[")
	switch {
	case fmt.Sprint(said) == fmt.Sprint(have):
		return true
	case path == "priority":
		return map[any]string{"0": "critical", "1": "high", "2": "normal", "3": "low"}[fmt.Sprint(said)] == have
	case path == "to":
		return fmt.Sprint("role:", said) == have
	case path == "options.attempt":
		n, _ := strconv.Atoi(fmt.Sprint(said))
		return fmt.Sprint(n-1) == fmt.Sprint(have)
	case path == "expectations.timeout", path == "expectations.estimated_duration":
		n, _ := strconv.Atoi(fmt.Sprint(said))
		return (time.Duration(n) * map[bool]time.Duration{true: time.Millisecond, false: time.Minute}[path == "expectations.timeout"]).String() == have
	case strings.HasSuffix(path, "]") && field == "context.files":
		file, _ := have.(map[string]any)
		return strings.TrimSuffix(fmt.Sprint(file["path"], ":", emptyIfNil(file["lines"])), ":") == said
	case path == "detail", field == "context.completed_steps", strings.HasSuffix(path, ".rationale"):
		text, _ := have.(string)
		return strings.Contains(text, fmt.Sprint(said))
	}
	return false
}

func emptyIfNil(v any) any {
	if v == nil {
		return ""
	}
	return v
}
