package main

import (
	"bytes"
	"context"
	"embed"
	"io/fs"
	"path"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// fillTemplate returns a filled template for a release, or for one of its platforms.
func (r *release) fillTemplate(name string, of any) ([]byte, error) {
	var b bytes.Buffer
	parsed, err := template.ParseFS(templates, path.Join("templates", name))
	if err != nil {
		return nil, err
	}
	err = parsed.Execute(&b, of)
	return b.Bytes(), err
}

// fillFolder fills all templates of a folder. Their paths there become the names of the files.
func (r *release) fillFolder(folder string, of any) ([]file, error) {
	tree, err := fs.Sub(templates, path.Join("templates", folder))
	if err != nil {
		return nil, err
	}
	files, err := readFiles(tree)
	for i, f := range files {
		if files[i].data, err = r.fillTemplate(path.Join(folder, f.name), of); err != nil {
			return nil, err
		}
		files[i].name = strings.TrimSuffix(f.name, ".tmpl")
	}
	return files, err
}

// addFilled puts a filled template into the release.
func (r *release) addFilled(ctx context.Context, kind string, p platform, name string, of any) error {
	data, err := r.fillTemplate(kind+".json.tmpl", of)
	if err != nil {
		return err
	}
	return r.addArtifact(ctx, kind, p, name, data)
}

// Description returns one sentence that fits everywhere.
func (r *release) Description() string {
	return "Pass work between coding agents and people, and never lose it"
}

// URL returns the later address of a file of the release.
func (r *release) URL(name string) string { return r.Downloads + "/v" + r.Version + "/" + name }
