package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/respell/respelltest"
)

// variations are ways in which others write a message that says the same, or a little more.
var variations = []struct {
	name  string
	vary  func(message map[string]any) any
	write func(message any) string
}{
	{"as it is", asItIs, asJSON},
	{byTool, asItIs, asJSON},
	{"camelCase", renamed(camel), asJSON},
	{"kebab-case", renamed(func(s string) string { return strings.ReplaceAll(snake(s), "_", "-") }), asJSON},
	{"UPPER CASE", renamed(func(s string) string { return strings.ToUpper(snake(s)) }), asJSON},
	{"Words in YAML", renamed(func(s string) string { return strings.ReplaceAll(snake(s), "_", " ") }), asYAML},
	{"in an envelope", func(m map[string]any) any {
		return map[string]any{"ticket": "t_42", "submittedAt": "2026-01-11T20:31:00Z", "payload": map[string]any{"message": m}}
	}, asJSON},
	{"fields that only a newer version knows", func(m map[string]any) any { m["version"] = 2; return widened(m, new(int)) }, asJSON},
	{"YAML", asItIs, asYAML},
	{"comments and a mark", asItIs, func(m any) string {
		return "\uFEFF// a comment\n" + strings.TrimSuffix(asJSON(m), "}") + ", /* more */ \"note_of_writer\": \"n1\", // NEW\n}\n"
	}},
	{"numbers as text", func(m map[string]any) any { return numbersAsText(m) }, asJSON},
	{"data that is nested", func(m map[string]any) any {
		data, _ := m["data"].(map[string]any)
		m["data"] = map[string]any{"deep": map[string]any{"list": []any{"inner value", true}}, "had": data}
		return m
	}, asJSON},
	{"front matter", asItIs, func(m any) string { return "---\n" + asYAML(m) + "---\nMore than the message says.\n" }},
}

// byTool is the variation of a message that comes as arguments of a tool, and not as a file.
const byTool = "by tool"

// Each part of a message with a field is in the record, and a warning names each other part.
func TestFile_WholeMessageLosesNothing(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(examples, "messages", "*-*.json"))
	require.NoError(t, err)
	desk := &wholeDesk{Home: commandtest.NewHome(t)}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, v := range variations {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+v.name, func(t *testing.T) {
				message, ok := decoded(t, text).(map[string]any)
				require.True(t, ok)
				if in, ok := message["metadata"].(map[string]any); ok && in["deadline"] != nil {
					in["deadline"] = time.Now().Add(2 * time.Hour).UTC().Format(time.RFC3339)
				}
				varied := v.vary(message)
				written := v.write(varied)
				if v.name == "front matter" {
					varied = []any{varied, "More than the message says."}
				}
				desk.byTool = v.name == byTool
				desk.requireKept(t, filepath.Base(file), fmt.Sprintf("sender%d", i), written, varied)
			})
		}
	}
}

// A wholeDesk is where whole messages are given to the program.
type wholeDesk struct {
	commandtest.Home
	sent   int // handoffs so far
	byTool bool
}

// requireKept gives the program a message and looks for every value of it.
func (d *wholeDesk) requireKept(t *testing.T, name, sender, written string, said any) {
	t.Helper()
	d.T = t
	file := filepath.Join(t.TempDir(), "message")
	require.NoError(t, os.WriteFile(file, []byte(written), 0o600))
	args := []string{"send", "--file", file, "--agent", sender, "--json"}
	switch {
	case strings.Contains(name, "completion"):
		d.claimed(sender, "Implements all spec requirements", "Includes unit tests", "Passes type checking")
		args = []string{"complete", strconv.Itoa(d.sent), "--file", file, "--agent", "w", "--json"}
	case strings.Contains(name, "failure"), strings.Contains(name, "rejection"):
		d.claimed("architect")
		args = []string{"fail", strconv.Itoa(d.sent), "--file", file, "--agent", "w", "--json"}
	case strings.Contains(name, "kelos") && strings.HasPrefix(written, "---"):
		args = slices.Insert(args, 1, "w")
	case strings.Contains(name, "kelos"):
		args = slices.Insert(args, 1, "w", "Fix it")
	}
	if d.byTool {
		args = d.asCall(args, said.(map[string]any), strings.Contains(name, "kelos"))
	}
	var out struct {
		HandoffID string `json:"handoff_id"`
		Warnings  []string
	}
	require.NoError(t, json.Unmarshal([]byte(d.Must(args...)), &out))
	d.sent, _ = strconv.Atoi(strings.TrimPrefix(out.HandoffID, "ho_"))
	record := d.Must("call", "get_handoff", fmt.Sprintf(`{"handoff_id":%q,"view":"full","max_tokens":100000}`, out.HandoffID)) +
		d.Must("call", "get_handoff", fmt.Sprintf(`{"handoff_id":%q,"view":"outcome"}`, out.HandoffID))
	kept := texts(record) + "\n" + strings.Join(out.Warnings, "\n")
	for path, v := range respelltest.LeavesByPath(said) {
		require.True(t, v == nil || holds(kept, fmt.Sprint(v)), "%s: %v is neither in the record nor in a warning\n%s", path, v, kept)
	}
	if strings.Contains(name, "failure") || strings.Contains(name, "rejection") {
		d.sent++ // the work went back
	}
}

// asCall returns the command that gives the message to the tool of a command. A message without a place gets one: the id
// of the claimed handoff, or a recipient and a task.
func (d *wholeDesk) asCall(args []string, message map[string]any, isPayload bool) []string {
	if args[0] != "send" {
		message["handoff_id"] = strconv.Itoa(d.sent)
	} else if isPayload {
		message["to"], message["task"] = "w", "Fix it"
	}
	agent := args[slices.Index(args, "--agent")+1]
	return []string{"call", args[0] + "_handoff", asJSON(message), "--agent", agent}
}

// claimed sends work with criteria and claims it.
func (d *wholeDesk) claimed(sender string, criteria ...string) {
	d.T.Helper()
	args := []string{"send", "w", "Do it", "--agent", sender, "--json"}
	for _, c := range criteria {
		args = append(args, "--criteria", c)
	}
	var out struct {
		HandoffID string `json:"handoff_id"`
	}
	require.NoError(d.T, json.Unmarshal([]byte(d.Must(args...)), &out))
	d.sent, _ = strconv.Atoi(strings.TrimPrefix(out.HandoffID, "ho_"))
	d.Must("claim", out.HandoffID, "--agent", "w")
}

// texts are the values of a record and the texts within texts that are JSON, one a line.
func texts(record string) string {
	var b strings.Builder
	for decoder := json.NewDecoder(strings.NewReader(record)); ; {
		var v any
		decoder.UseNumber()
		if decoder.Decode(&v) != nil {
			return b.String()
		}
		for _, leaf := range respelltest.LeavesByPath(v) {
			fmt.Fprintln(&b, leaf)
		}
	}
}

var lined = regexp.MustCompile(`^(.+):([0-9,-]+)$`)

// holds reports whether a value is kept, or our word for it.
func holds(kept, value string) bool {
	if value == "" || value == "[]" || value == "map[]" || strings.Contains(kept, strings.TrimSpace(value)) {
		return true
	}
	if word := map[string]string{"0": "critical", "1": "high", "2": "normal", "urgent": "critical"}[value]; word != "" {
		return strings.Contains(kept, word)
	}
	if n, err := strconv.Atoi(value); err == nil {
		for _, unit := range []time.Duration{time.Millisecond, time.Minute} {
			if strings.Contains(kept, (time.Duration(n) * unit).String()) {
				return true
			}
		}
		return n == 0 // an omitted zero
	}
	m := lined.FindStringSubmatch(value)
	return value == "false" || m != nil && strings.Contains(kept, m[1]) && strings.Contains(kept, m[2])
}

func asItIs(m map[string]any) any { return m }

func asJSON(m any) string {
	b, _ := json.MarshalIndent(m, "", "  ")
	return strings.TrimSuffix(strings.TrimSpace(string(b)), "\n")
}

// asYAML writes numbers as numbers, by way of their JSON.
func asYAML(m any) string {
	var v any
	_ = yaml.Unmarshal([]byte(asJSON(m)), &v)
	b, _ := yaml.Marshal(v)
	return string(b)
}

func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	return v
}

// renamed spells the names of all fields in another way.
func renamed(spell func(string) string) func(map[string]any) any {
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := map[string]any{}
			for name, inside := range v {
				out[spell(name)] = walk(inside)
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i := range v {
				out[i] = walk(v[i])
			}
			return out
		}
		return v
	}
	return func(m map[string]any) any { return walk(m) }
}

// widened adds a field that nobody knows to each object.
func widened(v any, n *int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inside := range v {
			if name != "outputFormat" { // a schema has its meaning
				inside = widened(inside, n)
			}
			out[name] = inside
		}
		*n++
		out["x_of_writer"] = fmt.Sprintf("extra %d", *n)
		return out
	case []any:
		for i := range v {
			v[i] = widened(v[i], n)
		}
	}
	return v
}

func numbersAsText(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = numbersAsText(v[name])
		}
	case []any:
		for i := range v {
			v[i] = numbersAsText(v[i])
		}
	case json.Number:
		return v.String()
	}
	return v
}

var upper = regexp.MustCompile(`[A-Z]+`)

func snake(s string) string {
	return upper.ReplaceAllStringFunc(s, func(u string) string { return "_" + strings.ToLower(u) })
}

func camel(s string) string {
	parts := strings.Split(s, "_")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}
