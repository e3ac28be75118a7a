package docs_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// modulePath is the path of the module of this repository.
var modulePath = func() string {
	info, _ := debug.ReadBuildInfo()
	return info.Main.Path
}()

// packageImports holds the imports of one of our packages, as go list prints them.
type packageImports struct {
	path           string // in the repository
	imports, tests []string
}

// listPackages lists the packages of this module, except the package of these tests.
func listPackages(t *testing.T) []packageImports {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []packageImports
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatalf("go list: %v", err)
		}
		if path, ok := strings.CutPrefix(p.ImportPath, modulePath+"/"); ok && path != "docs" {
			all = append(all, packageImports{path, p.Imports, slices.Concat(p.TestImports, p.XTestImports)})
		}
	}
	return all
}

// ownPackages returns the packages of this module among imports, by their paths in the repository.
func ownPackages(imports []string) []string {
	var paths []string
	for _, path := range imports {
		if path, ok := strings.CutPrefix(path, modulePath+"/"); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// thirdPartyPackages returns third-party packages: their paths begin with a host name; paths of the standard library do
// not.
func thirdPartyPackages(imports []string) []string {
	var paths []string
	for _, path := range imports {
		host, _, _ := strings.Cut(path, "/")
		if strings.Contains(host, ".") && !strings.HasPrefix(path, modulePath+"/") {
			paths = append(paths, path)
		}
	}
	return paths
}
