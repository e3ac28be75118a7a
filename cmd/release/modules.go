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

// modulesIn asks the program of a platform what is in it. Some modules are linked for one system only, and what is made for
// a platform must not depend on which others are made.
func (r *release) modulesIn(ctx context.Context, p platform) (modules []dependency, err error) {
	info, err := buildinfo.ReadFile(r.built(p))
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}} {{.Dir}}"}
	for _, dep := range info.Deps {
		args = append(args, dep.Path)
	}
	list, err := output(ctx, r.src(""), goEnv, "go", args...)
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, r.src(""), goEnv, "go", "env", "GOROOT") // a program built with -trimpath does not know it
	if err != nil {
		return nil, err
	}
	list += "std " + strings.TrimPrefix(runtime.Version(), "go") + " " + root
	for line := range strings.Lines(list) {
		said := strings.SplitN(strings.TrimSpace(line), " ", 3) // a folder may have spaces
		licence, err := licenceIn(said[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", said[0], err)
		}
		modules = append(modules, dependency{said[0], said[1], licence})
	}
	return modules, nil
}

// licenceIn gives the licence that a module has at its top, with what it says of its authors.
func licenceIn(dir string) (string, error) {
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

// notices are the licences of others, which go along with what is made of their work.
func notices(modules []dependency) []byte {
	var b bytes.Buffer
	b.WriteString("handoff has the licence in LICENSE. The program contains these modules of others:\n\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "== %s %s\n\n%s", m.path, m.version, m.licence)
	}
	return b.Bytes()
}

// bills are bills of materials (SBOM) in the form of CycloneDX, one for each program.
func (r *release) bills(context.Context) error {
	for _, p := range r.platforms {
		if err := r.bill(p); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) bill(p platform) error {
	var components []cyclonedx.Component
	for _, m := range r.modules[p] {
		url := "pkg:golang/" + m.path + "@" + m.version
		components = append(components, cyclonedx.Component{
			BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version,
		})
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.Date.Format("2006-01-02T15:04:05Z"),
		Component: &cyclonedx.Component{
			BOMRef: "handoff", Type: cyclonedx.ComponentTypeApplication, Name: "handoff", Version: r.Version,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
		},
	}
	bom.Components = &components
	var b bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return r.add("bill", p, r.base(p)+".cdx.json", b.Bytes())
}
