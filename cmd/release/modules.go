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
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// module is one that is in a program.
type module struct{ path, version, licence string }

// learnModules asks the programs themselves what is in them.
func (r *release) learnModules(ctx context.Context) error {
	versions := map[string]string{}
	for _, p := range r.platforms {
		info, err := buildinfo.ReadFile(r.built(p))
		if err != nil {
			return err
		}
		for _, dep := range info.Deps {
			versions[dep.Path] = dep.Version
		}
	}
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Dir}}"}
	for path := range versions {
		args = append(args, path)
	}
	list, err := output(ctx, r.src(""), goEnv, "go", args...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		licence, err := licenceIn(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.modules = append(r.modules, module{path, versions[path], licence})
	}
	slices.SortFunc(r.modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	root, err := output(ctx, r.src(""), goEnv, "go", "env", "GOROOT") // a program built with -trimpath does not know it
	if err != nil {
		return err
	}
	licence, err := licenceIn(strings.TrimSpace(root))
	r.modules = append(r.modules, module{"std", strings.TrimPrefix(runtime.Version(), "go"), licence})
	return err
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
func (r *release) notices() []byte {
	var b bytes.Buffer
	b.WriteString("handoff has the licence in LICENSE. The program contains these modules of others:\n\n")
	for _, m := range r.modules {
		fmt.Fprintf(&b, "== %s %s\n\n%s", m.path, m.version, m.licence)
	}
	return b.Bytes()
}

// bill is the bill of materials (SBOM), in the form of CycloneDX.
func (r *release) bill(context.Context) error {
	var components []cyclonedx.Component
	for _, m := range r.modules {
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
	return r.add("bill", platform{}, "handoff_"+r.Version+".cdx.json", b.Bytes())
}
