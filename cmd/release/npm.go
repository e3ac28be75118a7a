package main

import (
	"context"
	"strings"
)

// npmPackage makes the package with the program for one platform.
func (b *build) npmPackage(context.Context) error {
	files := append(pick(b.beside(), "LICENSE", "NOTICES"), b.named("bin/"+b.Program()))
	return b.addNPM(b.platform, b.NodePackage(), b, "platform", files)
}

// npmMain makes the npm package that people install. It finds the package with the program.
func (r *release) npmMain(context.Context) error {
	start, err := r.fill("handoff.js.tmpl", r)
	if err != nil {
		return err
	}
	files := append(pick(r.inside, "LICENSE"), file{"bin/handoff.js", modeProgram, start})
	return r.addNPM(platform{}, r.NPM, r, "main", files)
}

// addNPM makes an npm package in the form of npm pack: all files are in a folder called package, and the name of the
// archive contains the scope.
func (r *release) addNPM(p platform, name string, of any, template string, files []file) error {
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
func (b *build) NodePackage() string { return b.NPM + "-" + b.NodeOS() + "-" + b.NodeArch() }
