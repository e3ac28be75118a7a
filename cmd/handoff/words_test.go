package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

// A way takes a completion with a status: as arguments of the tool, as a file, or as the completion of another
// protocol, which has its own id.
type way struct {
	name  string
	leads []string // suggested calls of a refusal
	say   func(id, status string) (args []string, file string)
}

var (
	asTool = way{
		"tool",
		[]string{`"outcome":"partial"`, `update_handoff {"handoff_id":"ID","action":"ask"`, `fail_handoff {"handoff_id":"ID"`},
		func(id, status string) ([]string, string) {
			return []string{"call", "complete_handoff", `{"handoff_id":"` + id + `","summary":"It is in main.","status":` + status + `}`}, ""
		},
	}
	asForeign = asFile("foreign", `{"handoff_id":"hoff-7","completion_id":"comp-7","timestamp":"2026-01-11T12:00:00Z",
		"status":STATUS,"source":{"agent":"code"},"deliverables":[{"type":"code","files_created":["a.go"]}]}`)
	asFiles = []way{
		asFile("JSON", `{"summary":"It is in main.","status":STATUS}`),
		asFile("YAML", "summary: It is in main.\nstatus: STATUS\n"),
		asFile("Markdown", "---\nstatus: STATUS\n---\n## Summary\nIt is in main.\n"),
	}
)

func asFile(name, text string) way {
	return way{
		name,
		[]string{"handoff complete ID --summary", "--outcome partial", "handoff update ID --ask", "handoff fail ID"},
		func(id, status string) ([]string, string) {
			return []string{"complete", id, "--file"}, strings.ReplaceAll(text, "STATUS", status)
		},
	}
}

// Each word of testdata/words.txt, in each place of a message, completes a handoff, completes it in part, or is
// refused. A refusal lists calls that may have been meant.
func TestComplete_StatusWordDecides(t *testing.T) {
	text, err := os.ReadFile("testdata/words.txt")
	require.NoError(t, err)
	d := commandtest.NewDesk(t)
	want, words, held := "", 0, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "== "); ok {
			want = heading
		}
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "== ") {
			continue
		}
		words++
		status, err := json.Marshal(line)
		require.NoError(t, err)
		for _, by := range []way{asTool, asFiles[words%len(asFiles)], asForeign} {
			if held == "" {
				held = sentTo(d, "w")
			}
			said := line + " by " + by.name
			code, out, errs := ended(d, by, held, string(status))
			if want == "refused" {
				require.Equal(t, 2, code, "%s: %s", said, out)
				require.Contains(t, errs, "does not say that it is done", said)
				for _, lead := range by.leads {
					require.Contains(t, errs, strings.ReplaceAll(lead, "ID", held), said)
				}
				require.NotContains(t, errs, "hoff-7", said)
				continue
			}
			require.Zero(t, code, "%s: %s", said, errs)
			require.Contains(t, out, `"outcome":"`+want+`"`, said)
			require.NotContains(t, out, "warnings", said)
			held = ""
		}
	}
	require.Greater(t, words, 100)
}

// sentTo sends something to an agent, which claims it.
func sentTo(d commandtest.Desk, agent string) (id string) {
	d.Helper()
	id = strings.TrimSpace(d.Must("boss", "send", agent, "Build it", "--silent", "--force"))
	d.Must(agent, "claim", id)
	return id
}

// ended completes a handoff by one of the doors.
func ended(d commandtest.Desk, by way, id, status string) (code int, out, errs string) {
	d.Helper()
	args, file := by.say(id, status)
	if file != "" {
		path := filepath.Join(d.State, "completion")
		require.NoError(d, os.WriteFile(path, []byte(file), 0o600))
		args = append(args, path)
	}
	return d.Run("w", append(args, "--json")...)
}

// The words that are documented end work as the document says.
func TestConcepts_NamesWordsThatComplete(t *testing.T) {
	b, err := os.ReadFile("../../docs/concepts.md")
	require.NoError(t, err)
	done, rest, _ := strings.Cut(string(b), "or a similar word, the outcome is a\nsuccess.")
	partly, _, found := strings.Cut(rest, "or a similar word, the outcome is partial.")
	require.True(t, found)
	done = done[strings.LastIndex(done, "do not matter."):]
	for said, want := range map[string]schemas.Outcome{done: schemas.Success, partly: schemas.Partial} {
		words := regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(said, -1)
		require.NotEmpty(t, words)
		for _, word := range words {
			require.Equal(t, want, schemas.OutcomeOfWord(word[1]), word[1])
		}
	}
}
