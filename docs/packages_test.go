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

// module is the path of the one that these tests are built in.
var module = func() string {
	info, _ := debug.ReadBuildInfo()
	return info.Main.Path
}()

// pkg is one of our packages as the go command sees it.
type pkg struct {
	path           string // in the repository
	imports, tests []string
}

// packages lists ours, without the one that holds these tests.
func packages(t *testing.T) []pkg {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatalf("go list: %v", err)
		}
		if path, ok := strings.CutPrefix(p.ImportPath, module+"/"); ok && path != "docs" {
			all = append(all, pkg{path, p.Imports, slices.Concat(p.TestImports, p.XTestImports)})
		}
	}
	return all
}

// ours picks the packages of this module, by their path in the repository.
func ours(imports []string) []string {
	var paths []string
	for _, path := range imports {
		if path, ok := strings.CutPrefix(path, module+"/"); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// foreign returns third-party packages: their paths begin with a host name; paths of the standard library do not.
func foreign(imports []string) []string {
	var paths []string
	for _, path := range imports {
		host, _, _ := strings.Cut(path, "/")
		if strings.Contains(host, ".") && !strings.HasPrefix(path, module+"/") {
			paths = append(paths, path)
		}
	}
	return paths
}
