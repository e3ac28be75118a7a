package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// manifestFiles are the files for registries and package managers, with the templates that make them.
var manifestFiles = []struct{ template, name string }{
	{"server.json.tmpl", "server.json"},
	{"handoff.rb.tmpl", "homebrew/handoff.rb"},
	{"scoop.json.tmpl", "scoop/handoff.json"},
	{"version.yaml.tmpl", "winget/WINGET.yaml"},
	{"installer.yaml.tmpl", "winget/WINGET.installer.yaml"},
	{"locale.yaml.tmpl", "winget/WINGET.locale.en-US.yaml"},
	{"publish.sh.tmpl", "publish.sh"},
	{"notes.md.tmpl", "notes.md"},
}

func (r *release) addManifests(context.Context) error {
	for _, m := range manifestFiles {
		data, err := r.fillTemplate(m.template, r)
		if err != nil {
			return err
		}
		name := strings.ReplaceAll(m.name, "WINGET", r.Winget)
		if err := writeFile(filepath.Join(r.out, name), data, modeText); err != nil {
			return err
		}
	}
	latest, err := r.fillTemplate("latest.json.tmpl", r) // tells an older handoff about this version and its news
	if err != nil {
		return err
	}
	return r.addArtifact("latest", platform{}, "latest.json", latest)
}

// writeChecksums writes the hashes of all downloads, in the format of sha256sum.
func (r *release) writeChecksums(ctx context.Context) error {
	var b bytes.Buffer
	for _, a := range r.Artifacts {
		fmt.Fprintf(&b, "%s  %s\n", a.SHA256, a.Name)
	}
	name := filepath.Join(r.out, checksumsFile)
	if err := writeFile(name, b.Bytes(), modeText); err != nil {
		return err
	}
	if r.Sign.Bundle == "" {
		fmt.Fprintln(os.Stderr, "bundles are not signed: settings.yaml names no command for it")
	}
	if r.Sign.Checksums == "" {
		fmt.Fprintln(os.Stderr, "checksums.txt is not signed: settings.yaml names no command for it")
		return nil
	}
	return signFile(ctx, r.Sign.Checksums, name)
}
