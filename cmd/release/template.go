package main

import (
	"bytes"
	"embed"
	"path"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

var parsed = template.Must(template.New("").Funcs(template.FuncMap{
	"indent": func(text string) string { // as Debian requires for texts in its fields
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i, line := range lines {
			if lines[i] = " " + line; line == "" {
				lines[i] = " ."
			}
		}
		return strings.Join(lines, "\n")
	},
}).ParseFS(templates, "templates/*.tmpl", "templates/*/*.tmpl"))

// fillTemplate returns a filled template for a release, or for one of its platforms.
func (r *release) fillTemplate(name string, of any) ([]byte, error) {
	var b bytes.Buffer
	err := parsed.ExecuteTemplate(&b, path.Base(name), of)
	return b.Bytes(), err
}

// Description returns one sentence that fits everywhere.
func (r *release) Description() string { return description }

// URL returns the later address of a file of the release.
func (r *release) URL(name string) string { return r.Downloads + "/v" + r.Version + "/" + name }

// Folder returns the name of the folder within an archive.
func (a artifact) Folder() string {
	return strings.TrimSuffix(strings.TrimSuffix(a.Name, ".zip"), ".tar.gz")
}
