package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// addManifests makes the files for registries and package managers, which the checksums leave out. It also makes
// latest.json, which tells an older handoff about this version and its news.
func (r *release) addManifests(ctx context.Context) error {
	manifests, err := r.fillFolder("manifests", r)
	if err != nil {
		return err
	}
	for _, m := range manifests {
		name := strings.ReplaceAll(m.name, "WINGET", r.Winget)
		if err := writeFile(filepath.Join(r.out, name), m.data, modeText); err != nil {
			return err
		}
	}
	return r.addFilled(ctx, "latest", platform{}, "latest.json", r)
}

// addBillOfMaterials makes the bill of materials (SBOM) in the CycloneDX format.
func (b *build) addBillOfMaterials(ctx context.Context) error {
	return b.addFilled(ctx, "bill", b.platform, b.archiveName()+".cdx.json", b)
}

// writeChecksums writes the hashes of all downloads, in the format of sha256sum.
func (r *release) writeChecksums(ctx context.Context) error {
	var b bytes.Buffer
	for _, a := range r.Artifacts {
		fmt.Fprintf(&b, "%s  %s\n", a.SHA256, a.Name)
	}
	if r.Sign.Bundle == "" {
		fmt.Fprintln(os.Stderr, "bundles are not signed: settings.yaml names no command for it")
	}
	if r.Sign.Checksums == "" {
		fmt.Fprintln(os.Stderr, "checksums.txt is not signed: settings.yaml names no command for it")
	}
	_, err := r.writeSigned(ctx, r.Sign.Checksums, checksumsFile, b.Bytes())
	return err
}
