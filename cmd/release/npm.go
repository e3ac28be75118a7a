package main

import (
	"context"
	"strings"
)

// addNPMPackage makes the package with the program for one platform.
func (b *build) addNPMPackage(context.Context) error {
	files := append(pickFiles(b.filesBesideProgram(), "LICENSE", "NOTICES"), b.programFile("bin/"+b.Program()))
	return b.addNPMArchive(b.platform, b.NodePackage(), b, "platform", files)
}

// addMainNPMPackage makes the npm package that people install. Its script finds the package that contains the program.
func (r *release) addMainNPMPackage(context.Context) error {
	start, err := r.fillTemplate("handoff.js.tmpl", r)
	if err != nil {
		return err
	}
	files := append(pickFiles(r.inside, "LICENSE"), file{"bin/handoff.js", modeProgram, start})
	return r.addNPMArchive(platform{}, r.NPM, r, "main", files)
}

// addNPMArchive makes an archive as npm pack does. All files are in a folder called package, and the name of the
// archive contains the scope.
func (r *release) addNPMArchive(p platform, name string, of any, template string, files []file) error {
	for _, t := range []struct{ at, template string }{{"package.json", template + ".json.tmpl"}, {"README.md", template + ".md.tmpl"}} {
		data, err := r.fillTemplate(t.template, of)
		if err != nil {
			return err
		}
		files = append(files, file{t.at, modeText, data})
	}
	packed, err := makeTarGz("package", files, r.Date)
	if err != nil {
		return err
	}
	base := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")
	return r.addArtifact("npm", p, base+"-"+r.Version+".tgz", packed)
}

// NodePackage returns the name of the npm package with the program for this platform.
func (b *build) NodePackage() string { return b.NPM + "-" + b.NodeOS() + "-" + b.NodeArch() }
