package cli

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// parseFlags parses flags and puts the fields into a message.
func parseFlags(t *testing.T, message Arguments, flags ...string) (Arguments, error) {
	t.Helper()
	fields := []Field{
		Text("title", "title", ""),
		Texts("criteria", "expectations.success_criteria", ""),
		Words("tags", "tags", ""),
		Pairs("data", "data", ""),
		Number("attempts", "options.max_attempts", ""),
		Switch("strict", "expectations.strict", ""),
		Document("context", "context", ""),
	}
	cmd := &cobra.Command{}
	DefineFlags(cmd, fields)
	if err := cmd.ParseFlags(flags); err != nil {
		return nil, err
	}
	return message, message.SetFields(cmd, fields)
}

func TestFields_BecomeArguments(t *testing.T) {
	got, err := parseFlags(t, Arguments{}, "--title", "A, b", "--criteria", "one, two", "--criteria", "three", "--tags", "a, b", "--tags=c",
		"--data", "x=1=2", "--data", "y=", "--attempts", "4", "--strict", "--context", `{"state": {"n": 1.50}}`)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"title": "A, b",
		"expectations": {"success_criteria": ["one, two", "three"], "strict": true},
		"tags": ["a", "b", "c"], "data": {"x": "1=2", "y": ""},
		"options": {"max_attempts": 4}, "context": {"state": {"n": 1.50}}
	}`, toJSON(t, got))
}

func TestFields_OverrideMessage(t *testing.T) {
	message := Arguments{"title": "old", "task": "kept", "expectations": map[string]any{"constraints": []any{"kept"}}}
	got, err := parseFlags(t, message, "--title", "new", "--strict=false")
	require.NoError(t, err)
	require.JSONEq(t, `{"title": "new", "task": "kept", "expectations": {"constraints": ["kept"], "strict": false}}`, toJSON(t, got))
}

func TestFields_RefuseInvalidValues(t *testing.T) {
	for name, flags := range map[string][]string{
		"no pair":       {"--data", "x"},
		"a nameless":    {"--data", "=1"},
		"no number":     {"--attempts", "many"},
		"no JSON":       {"--context", "{"},
		"two documents": {"--context", "{} {}"},
		"not a switch":  {"--strict=perhaps"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseFlags(t, Arguments{}, flags...)
			require.ErrorContains(t, err, "invalid argument")
		})
	}
}

func TestSetPath_RefusesPathThroughText(t *testing.T) {
	_, err := parseFlags(t, Arguments{"expectations": "all of it"}, "--strict")
	require.ErrorContains(t, err, "expectations is no object in the message")
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestFieldsOf_MakesAFlagOfEachFieldWithHelp(t *testing.T) {
	type terms struct {
		NoTakers string   `json:"no_takers" help:"who gets it"`
		Strict   bool     `json:"strict" help:"all of it"`
		Notes    []string `json:"notes" help:"what else (repeatable)"`
		Inner    string   `json:"inner"`
	}
	cmd, args := &cobra.Command{}, Arguments{}
	fields := FieldsOf("options", reflect.TypeFor[terms]())
	DefineFlags(cmd, fields)
	require.Equal(t, []string{"no-takers", "strict", "notes"}, schemas.Map(fields, func(f Field) string { return f.Flag }))
	require.NoError(t, cmd.ParseFlags([]string{"--no-takers", "wait", "--strict", "--notes", "a", "--notes", "b"}))
	require.NoError(t, args.SetFields(cmd, fields))
	require.JSONEq(t, `{"options": {"no_takers": "wait", "strict": true, "notes": ["a", "b"]}}`, toJSON(t, args))
}
