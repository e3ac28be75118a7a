package main

import (
	"context"
	"strings"
)

// npmPackages are one for each platform, which has the program, and the one that people name, which finds it.
func (r *release) npmPackages(context.Context) error {
	for _, f := range r.Platforms() {
		program, err := r.program(f.platform, "bin/"+f.Program())
		if err != nil {
			return err
		}
		if err := r.npmPackage(f.platform, f.NodePackage(), f, "platform", program); err != nil {
			return err
		}
	}
	start, err := r.fill("handoff.js.tmpl", r)
	if err != nil {
		return err
	}
	return r.npmPackage(platform{}, r.NPM, r, "main", file{"bin/handoff.js", modeProgram, start})
}

// npmPackage packs as npm pack does: everything is in a folder called package, and the scope is in the name of the file.
func (r *release) npmPackage(p platform, name string, of any, template string, more file) error {
	files := []file{more}
	for _, f := range r.beside(p) {
		if f.name == "LICENSE" || f.name == "NOTICES" && p != (platform{}) {
			files = append(files, f)
		}
	}
	for _, t := range []struct{ at, template string }{{"package.json", template + ".json.tmpl"}, {"README.md", template + ".md.tmpl"}} {
		data, err := r.fill(t.template, of)
		if err != nil {
			return err
		}
		files = append(files, file{t.at, modeText, data})
	}
	packed, err := tarGz("package", files, r.Date)
	if err != nil {
		return err
	}
	base := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")
	return r.add("npm", p, base+"-"+r.Version+".tgz", packed)
}

// NodePackage is the name of the npm package with the program for this platform.
func (f perPlatform) NodePackage() string { return f.NPM + "-" + f.NodeOS() + "-" + f.NodeArch() }
