package plugin

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

//go:embed text
var text embed.FS

var templates = template.Must(template.New("").Option("missingkey=error").ParseFS(text, "text/*.md"))

// written fills in a text.
func written(name string, with any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, with); err != nil {
		panic(fmt.Sprintf("plugin: %s: %v", name, err))
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// object writes a value as people write JSON.
func object(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("plugin: %v", err)) // texts, numbers and lists of these
	}
	return b.String()
}

// quoted is a text on one line as JSON, YAML and TOML all read it.
func quoted(s string) string { return strings.TrimSuffix(object(s), "\n") }

// headed is Markdown behind the keys by which clients know it.
func headed(body string, keys ...key) string {
	var b strings.Builder
	b.WriteString("---\n")
	for _, k := range keys {
		b.WriteString(k.name + ": " + k.value + "\n")
	}
	return b.String() + "---\n\n" + body
}

// A key stands at the head of a document. Its value is YAML.
type key struct{ name, value string }
