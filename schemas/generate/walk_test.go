package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each rule here is needed by at least one client. We found the rules by trial with Claude Code, Codex CLI, Gemini CLI
// and the MCP Inspector.
func TestPublished_KeepsRulesOfAllClients(t *testing.T) {
	t.Chdir("..")
	files, err := SchemaFiles()
	require.NoError(t, err)
	for name, content := range files {
		if !strings.HasPrefix(name, "json/published/") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.NotContains(t, string(content), "\n")
			var root map[string]any
			require.NoError(t, json.Unmarshal(content, &root))
			require.Equal(t, "object", root["type"])
			require.Empty(t, schemaFaults("$", root))
			if strings.HasSuffix(name, "In.json") {
				require.Equal(t, false, root["additionalProperties"])
				return
			}
			require.NotContains(t, string(content), `"required"`)
			require.NotContains(t, string(content), `"additionalProperties":false`)
			require.Contains(t, root["properties"], "inbox")
			require.Contains(t, root["properties"], "next")
		})
	}
}

var allowedKeywords = []string{
	"type", "description", "properties", "additionalProperties", "required", "items", "enum", "anyOf",
}

// schemaFaults returns what breaks these rules in a schema, and in all schemas inside it.
func schemaFaults(at string, s map[string]any) (found []string) {
	say := func(format string, args ...any) { found = append(found, at+": "+fmt.Sprintf(format, args...)) }
	for keyword, v := range s {
		if !slices.Contains(allowedKeywords, keyword) {
			say("keyword %s", keyword)
		}
		if v == nil {
			say("%s is null", keyword)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	switch s["type"] {
	case "object":
		if _, ok := s["additionalProperties"].(map[string]any); ok {
			say("an object of which only the values are typed")
		}
		if len(properties) == 0 && s["additionalProperties"] != nil {
			say("an object that nobody can fill")
		}
	case "array":
		items, ok := s["items"].(map[string]any)
		if !ok {
			say("a list without items")
		}
		found = append(found, schemaFaults(at+"[]", items)...)
	case "string", "integer", "number", "boolean":
	default:
		alternatives, _ := s["anyOf"].([]any)
		if len(alternatives) == 0 || s["type"] != nil {
			say("type %v", s["type"])
		}
		for _, alternative := range alternatives {
			found = append(found, schemaFaults(at+"|", alternative.(map[string]any))...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		below, ok := properties[name].(map[string]any)
		if !ok {
			say("%s is no schema but %v", name, properties[name])
		}
		found = append(found, schemaFaults(at+"."+name, below)...)
	}
	return found
}
