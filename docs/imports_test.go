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
		for _, path := range r.named() {
			if n := row(path); n < 0 || n >= i {
				t.Errorf("%s imports %s, which is no row before it", r.path, path)
			}
		}
	}
}

func TestHouse_PackagesKeepTheTable(t *testing.T) {
	for _, p := range packages(t) {
		i := row(p.path)
		if i < 0 {
			t.Errorf("%s has no row in the table", p.path)
			continue
		}
		for _, path := range ours(p.imports) {
			if !covered(allowed(i), path) {
				t.Errorf("%s imports %s, which the table does not allow", p.path, path)
			}
		}
		for _, path := range foreign(p.imports) {
			if !owned(house[i].owns, path) {
				t.Errorf("%s imports %s, which is not at home there", p.path, path)
			}
		}
	}
}

// A test wires real things together, so it may import all packages that its package reaches, the packages of proving,
// and every third-party package of the table. A test that opens a workspace may configure it, and reach its store.
func TestHouse_TestsKeepTheTable(t *testing.T) {
	var homes []string
	for _, r := range house {
		homes = append(homes, r.owns...)
	}
	for _, p := range packages(t) {
		within := slices.Concat(reach(p.path), proving)
		if slices.Contains(ours(p.tests), "mailbox/mailboxtest") {
			within = append(within, "mailbox", "store")
		}
		for _, path := range ours(p.tests) {
			if !covered(within, path) {
				t.Errorf("tests of %s import %s, which the package does not reach", p.path, path)
			}
		}
		for _, path := range foreign(p.tests) {
			if !owned(homes, path) {
				t.Errorf("tests of %s import %s, which has no home", p.path, path)
			}
		}
	}
}

// An edge that nobody uses is a door left open. A row whose package does not
// exist yet is a plan, and left alone.
func TestHouse_AllowsNothingUnused(t *testing.T) {
	used := map[int]pkg{}
	for _, p := range packages(t) {
		u := used[row(p.path)]
		used[row(p.path)] = pkg{p.path, slices.Concat(u.imports, p.imports), slices.Concat(u.tests, p.tests)}
	}
	for i, u := range used {
		if i < 0 {
			continue
		}
		for _, path := range house[i].named() {
			if !slices.Contains(ours(u.imports), path) {
				t.Errorf("%s does not import %s: take it out of the table", house[i].path, path)
			}
		}
		for _, module := range house[i].owns {
			inside := func(path string) bool { return owned([]string{module}, path) }
			if !slices.ContainsFunc(slices.Concat(u.imports, u.tests), inside) {
				t.Errorf("%s does not import %s: take it out of the table", house[i].path, module)
			}
		}
	}
}

// named lists the rows that r imports by name.
func (r room) named() []string {
	if slices.Equal(r.imports, everythingBelow) {
		return nil
	}
	return r.imports
}

// allowed lists the rows that row i may import. Everything below includes the
// row itself: the packages of one folder may import each other.
func allowed(i int) []string {
	if !slices.Equal(house[i].imports, everythingBelow) {
		return house[i].imports
	}
	var paths []string
	for _, r := range house[:i+1] {
		paths = append(paths, r.path)
	}
	return paths
}

// reach returns the package at path and all its imports, direct and indirect, each once.
func reach(path string) []string {
	paths := []string{path}
	for n := 0; n < len(paths); n++ {
		i := row(paths[n])
		if i < 0 {
			continue
		}
		for _, next := range slices.Concat(allowed(i), []string{house[i].path}) { // which may be a room of several packages
			if !slices.Contains(paths, next) {
				paths = append(paths, next)
			}
		}
	}
	return paths
}

// row finds where a package stands in the house: at its own path, else at that
// of a folder above it, else nowhere, which is -1.
func row(path string) int {
	if i := slices.IndexFunc(house, func(r room) bool { return r.path == path }); i >= 0 {
		return i
	}
	return slices.IndexFunc(house, func(r room) bool { return covered([]string{r.path}, path) })
}

// covered reports whether path is one of rows, or under one that ends in "...".
func covered(rows []string, path string) bool {
	return slices.ContainsFunc(rows, func(row string) bool {
		folder, all := strings.CutSuffix(row, "...")
		return row == path || all && strings.HasPrefix(path, folder)
	})
}

// owned reports whether path is one of modules, or a package in one.
func owned(modules []string, path string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return m == path || strings.HasPrefix(path, m+"/") })
}

// Each costs every start of the program most of a millisecond, for building its registries. The language of rules needs
// some of them; tests may use them.
func TestProgram_LinksNoSlowStarters(t *testing.T) {
	needed := dependencies(t, "cel.dev/cel-go/cel", "cel.dev/cel-go/ext")
	for _, path := range dependencies(t, "./cmd/handoff") {
		slow := strings.HasPrefix(path, "google.golang.org/protobuf") || strings.HasPrefix(path, "google.golang.org/grpc")
		if slow && !slices.Contains(needed, path) {
			t.Errorf("cmd/handoff links %s", path)
		}
	}
}

func dependencies(t *testing.T, packages ...string) []string {
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, packages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
