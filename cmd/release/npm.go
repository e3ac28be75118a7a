package main

import (
	"context"
	"strings"
)

// addNPMPackage makes the package with the program for one platform.
func (b *build) addNPMPackage(ctx context.Context) error {
	files := append(pickFiles(b.beside, "LICENSE", "NOTICES"), b.programFile("bin/"+b.Program))
	return b.addNPMArchive(ctx, b.platform, b.NodePackage(), "npm/platform", b, files)
}

// addMainNPMPackage makes the npm package that people install. Its script finds the package that contains the program.
func (r *release) addMainNPMPackage(ctx context.Context) error {
	start, err := r.fillTemplate("handoff.js.tmpl", r)
	if err != nil {
		return err
	}
	files := append(pickFiles(r.inside, "LICENSE"), file{"bin/handoff.js", modeProgram, start})
	return r.addNPMArchive(ctx, platform{}, r.NPM, "npm/main", r, files)
}

// addNPMArchive makes an archive as npm pack does. All files are in a folder called package, and the name of the
// archive contains the scope.
func (r *release) addNPMArchive(ctx context.Context, p platform, name, templates string, of any, files []file) error {
	filled, err := r.fillFolder(templates, of)
	if err != nil {
		return err
	}
	base := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")
	return r.addPacked(ctx, "npm", p, base+"-"+r.Version+".tgz", "package", append(files, filled...))
}

// NodePackage returns the name of the npm package with the program for this platform.
func (b *build) NodePackage() string { return b.NPM + "-" + b.NodeOS + "-" + b.NodeArch }
