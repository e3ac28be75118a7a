package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// dependency is a module that is in a program.
type dependency struct{ path, version, licence string }

// readModules reads the list of modules from the built program, because some modules are linked only for one system.
func (b *build) readModules(ctx context.Context) (modules []dependency, err error) {
	info, err := buildinfo.ReadFile(b.programPath())
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}} {{.Dir}}"}
	for _, dep := range info.Deps {
		args = append(args, dep.Path)
	}
	list, err := runCommand(ctx, b.sourcePath(""), goEnv, "go", args...)
	root, unknown := runCommand(ctx, b.sourcePath(""), goEnv, "go", "env", "GOROOT") // a program built with -trimpath does not know it
	if err = errors.Join(err, unknown); err != nil {
		return nil, err
	}
	list += "std " + strings.TrimPrefix(runtime.Version(), "go") + " " + root
	for line := range strings.Lines(list) {
		said := strings.SplitN(strings.TrimSpace(line), " ", 3) // a folder may have spaces
		licence, err := readLicence(said[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", said[0], err)
		}
		modules = append(modules, dependency{said[0], said[1], licence})
	}
	return modules, nil
}

// readLicence returns the licence file in the root of a module, and the files there about authors.
func readLicence(dir string) (string, error) {
	var said strings.Builder
	tree := os.DirFS(dir)
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*", "NOTICE*"} {
		names, _ := fs.Glob(tree, pattern) // it fails for bad patterns only
		for _, name := range names {
			data, err := fs.ReadFile(tree, name)
			if err != nil {
				return "", err
			}
			said.Write(bytes.TrimSpace(data))
			said.WriteString("\n\n")
		}
	}
	if said.Len() == 0 {
		return "", errors.New("it has no licence at its top")
	}
	return said.String(), nil
}

// thirdPartyNotices returns the licences of the modules as one text. It must accompany programs that contain the
// modules.
func thirdPartyNotices(modules []dependency) []byte {
	var b bytes.Buffer
	b.WriteString("handoff has the licence in LICENSE. The program contains these modules of others:\n\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "== %s %s\n\n%s", m.path, m.version, m.licence)
	}
	return b.Bytes()
}

// addBillOfMaterials makes the bill of materials (SBOM) in the CycloneDX format.
func (b *build) addBillOfMaterials(context.Context) error {
	var components []cyclonedx.Component
	for _, m := range b.modules {
		url := "pkg:golang/" + m.path + "@" + m.version
		components = append(components, cyclonedx.Component{
			BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version,
		})
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: b.Date.Format("2006-01-02T15:04:05Z"),
		Component: &cyclonedx.Component{
			BOMRef: "handoff", Type: cyclonedx.ComponentTypeApplication, Name: "handoff", Version: b.Version,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
		},
	}
	bom.Components = &components
	var said bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&said, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return b.addArtifact("bill", b.platform, b.archiveName()+".cdx.json", said.Bytes())
}
