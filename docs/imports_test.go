package docs_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestHouse_RowsImportOnlyEarlierRows(t *testing.T) {
	for i, r := range house {
		if i > 0 && r.level < house[i-1].level {
			t.Errorf("%s is on level %d, after a row of level %d", r.path, r.level, house[i-1].level)
		}
		for _, path := range r.namedImports() {
			if n := rowOf(path); n < 0 || n >= i {
				t.Errorf("%s imports %s, which is no row before it", r.path, path)
			}
		}
	}
}

func TestHouse_PackagesKeepTheTable(t *testing.T) {
	for _, p := range listPackages(t) {
		i := rowOf(p.path)
		if i < 0 {
			t.Errorf("%s has no row in the table", p.path)
			continue
		}
		for _, path := range ownPackages(p.imports) {
			if !isCovered(allowedImports(i), path) {
				t.Errorf("%s imports %s, which the table does not allow", p.path, path)
			}
		}
		for _, path := range thirdPartyPackages(p.imports) {
			if !isOwned(house[i].owns, path) {
				t.Errorf("%s imports %s, which is not at home there", p.path, path)
			}
		}
	}
}

// Tests use real parts of the program. So they may import all packages that their package reaches, the packages of
// testSupport, and every third-party package of the table. A test that opens a workspace may also import mailbox and
// store, to configure the workspace and read its rows.
func TestHouse_TestsKeepTheTable(t *testing.T) {
	var homes []string
	for _, r := range house {
		homes = append(homes, r.owns...)
	}
	for _, p := range listPackages(t) {
		within := slices.Concat(reachedPackages(p.path), testSupport)
		if slices.Contains(ownPackages(p.tests), "mailbox/mailboxtest") {
			within = append(within, "mailbox", "store")
		}
		for _, path := range ownPackages(p.tests) {
			if !isCovered(within, path) {
				t.Errorf("tests of %s import %s, which the package does not reach", p.path, path)
			}
		}
		for _, path := range thirdPartyPackages(p.tests) {
			if !isOwned(homes, path) {
				t.Errorf("tests of %s import %s, which has no home", p.path, path)
			}
		}
	}
}

// An import that the table allows and no package uses is a mistake in the table. The test skips a row whose package
// does not exist yet.
func TestHouse_AllowsNothingUnused(t *testing.T) {
	used := map[int]packageImports{}
	for _, p := range listPackages(t) {
		u := used[rowOf(p.path)]
		used[rowOf(p.path)] = packageImports{p.path, slices.Concat(u.imports, p.imports), slices.Concat(u.tests, p.tests)}
	}
	for i, u := range used {
		if i < 0 {
			continue
		}
		for _, path := range house[i].namedImports() {
			if !slices.Contains(ownPackages(u.imports), path) {
				t.Errorf("%s does not import %s: take it out of the table", house[i].path, path)
			}
		}
		for _, module := range house[i].owns {
			inside := func(path string) bool { return isOwned([]string{module}, path) }
			if !slices.ContainsFunc(slices.Concat(u.imports, u.tests), inside) {
				t.Errorf("%s does not import %s: take it out of the table", house[i].path, module)
			}
		}
	}
}

// namedImports lists the rows that r imports by name.
func (r room) namedImports() []string {
	if slices.Equal(r.imports, everythingBelow) {
		return nil
	}
	return r.imports
}

// allowedImports lists the rows that row i may import. For a row with everythingBelow, the list includes the row
// itself, because the packages of one folder may import each other.
func allowedImports(i int) []string {
	if !slices.Equal(house[i].imports, everythingBelow) {
		return house[i].imports
	}
	var paths []string
	for _, r := range house[:i+1] {
		paths = append(paths, r.path)
	}
	return paths
}

// reachedPackages returns the package at path and all its imports, direct and indirect, each once.
func reachedPackages(path string) []string {
	paths := []string{path}
	for n := 0; n < len(paths); n++ {
		i := rowOf(paths[n])
		if i < 0 {
			continue
		}
		for _, next := range slices.Concat(allowedImports(i), []string{house[i].path}) { // the room of this package; it may cover several packages
			if !slices.Contains(paths, next) {
				paths = append(paths, next)
			}
		}
	}
	return paths
}

// rowOf returns the index of the row for a package in house: the row with its path, else the row of a folder above it,
// else -1.
func rowOf(path string) int {
	if i := slices.IndexFunc(house, func(r room) bool { return r.path == path }); i >= 0 {
		return i
	}
	return slices.IndexFunc(house, func(r room) bool { return isCovered([]string{r.path}, path) })
}

// isCovered reports whether path is one of rows, or below a row that ends in "...".
func isCovered(rows []string, path string) bool {
	return slices.ContainsFunc(rows, func(row string) bool {
		folder, all := strings.CutSuffix(row, "...")
		return row == path || all && strings.HasPrefix(path, folder)
	})
}

// isOwned reports whether path is one of modules, or a package in one of them.
func isOwned(modules []string, path string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return m == path || strings.HasPrefix(path, m+"/") })
}

// The packages of Protocol Buffers and gRPC build registries when the program starts. Each of these packages costs
// every start nearly a millisecond. Only the packages that CEL, the language of rules, needs may be linked.
func TestProgram_LinksNoSlowStarters(t *testing.T) {
	needed := listDependencies(t, "cel.dev/cel-go/cel", "cel.dev/cel-go/ext")
	for _, path := range listDependencies(t, "./cmd/handoff") {
		slow := strings.HasPrefix(path, "google.golang.org/protobuf") || strings.HasPrefix(path, "google.golang.org/grpc")
		if slow && !slices.Contains(needed, path) {
			t.Errorf("cmd/handoff links %s", path)
		}
	}
}

func listDependencies(t *testing.T, packages ...string) []string {
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, packages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
