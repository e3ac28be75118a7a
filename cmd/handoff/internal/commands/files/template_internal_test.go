package files

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// fix is the prompt of the proposal for the second task, word for word.
const fix = `## Investigation Summary
{{index .Deps "investigate" "Handoff" "Summary"}}

## Detailed Findings
{{index .Deps "investigate" "Handoff" "Detail"}}

## Specific Data
Root cause file: {{index .Deps "investigate" "Handoff" "Data" "root_cause_file"}}

Fix the issue described above on branch {{index .Deps "investigate" "Results" "branch"}}.
`

func TestFill_RendersMissingValuesEmpty(t *testing.T) {
	done := schemas.GetOut{Status: schemas.Completed, Completion: &schemas.Completion{
		Result: schemas.Result{
			Version: 1, Summary: "Nil pointer", Detail: "auth.go:142 {{.Body}}", Data: map[string]string{"root_cause_file": "auth.go", "severity": "critical"},
			Results: map[string]any{"branch": "fix/1", "cost_usd": 0.5}, Outputs: []string{"branch: fix/1", "done"},
		},
	}}
	investigate := newStage("investigate", done)
	full := promptData{
		Deps:   map[string]*stage{"investigate": investigate, "open": newStage("open", schemas.GetOut{Status: schemas.Pending})},
		Stages: []*stage{investigate, newStage("open", schemas.GetOut{})}, History: []*stage{investigate}, Body: "It fails",
	}
	for template, want := range map[string]struct{ full, empty string }{
		fix: {
			"## Investigation Summary\nNil pointer\n\n## Detailed Findings\nauth.go:142 {{.Body}}\n\n## Specific Data\nRoot cause file: auth.go\n\nFix the issue described above on branch fix/1.\n",
			"## Investigation Summary\n\n\n## Detailed Findings\n\n\n## Specific Data\nRoot cause file: \n\nFix the issue described above on branch .\n",
		},
		`{{.Deps.investigate.Handoff.Summary}}|{{.Deps.investigate.Handoff.Data.none}}|{{.Deps.investigate.Results.branch}}`: {"Nil pointer||fix/1", "||"},
		`{{.Deps.open.Name}}|{{.Deps.open.Handoff.Summary}}|{{.Deps.open.Outputs}}`:                                          {"open||", "||"},
		`{{.Deps.nobody}}{{.Deps.nobody.Handoff}}{{.Deps.nobody.Results}}{{.Deps.nobody.Handoff.Data}}`:                      {"", ""},
		`{{index .Deps "nobody"}}{{index .Deps "nobody" "a" "b" 7}}{{index .Stages 9}}{{index .Deps 7}}`:                     {"", ""},
		`{{with .Deps.investigate.Handoff}}{{.}} v{{.Version}}{{else}}none{{end}}`:                                           {"Nil pointer v1", "none"},
		`{{if eq .Deps.investigate.Handoff.Data.severity "critical"}}now{{else}}later{{end}}`:                                {"now", "later"},
		`{{range .Stages}}{{.Name}}: {{.Handoff.Summary}}; {{end}}`:                                                          {"investigate: Nil pointer; open: ; ", ""},
		`{{range .History}}{{.}} {{index .Outputs 1}} {{.Results}}{{end}}{{index .Stages 0 "Handoff" "Summary"}}`:            {"investigate done branch: fix/1\ncost_usd: 0.5Nil pointer", ""},
		`A Slack escalation was received: {{.Body}}`:                                                                         {"A Slack escalation was received: It fails", "A Slack escalation was received: "},
	} {
		text, err := full.fillTemplate(template)
		require.NoError(t, err, template)
		require.Equal(t, want.full, text, template)
		text, err = promptData{}.fillTemplate(template)
		require.NoError(t, err, template)
		require.Equal(t, want.empty, text, template)
	}
	for template, wrong := range map[string]string{
		"{{.Deps.investigate.Handoff.Colour}}": "Colour", "a\n{{.Deps": "template:2", "{{nothing}}": "nothing",
		`{{range 9999999}}{{$.Deps.investigate.Handoff.Detail}}{{end}}`: "more than 8 MiB",
	} {
		_, err := full.fillTemplate(template)
		require.ErrorContains(t, err, wrong)
	}
}
