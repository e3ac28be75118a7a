// Package overlap finds the files that two handoffs both touch, so that their holders can talk to each other. It counts
// files that git saw as changed in a working tree, and files that a handoff names. A handoff may name a file, a
// directory or a pattern, such as docs/*.md or src/**.
//
// The package locks no file, because a lock would stay if its holder died. The files of a handoff are stored in a row
// next to its record. The row is no part of the audit registry.
package overlap

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// CommonFiles returns the files that two handoffs both touch. changing has the files that other changed. naming has the
// files that other only names. Handoffs in different repositories have no common files.
func CommonFiles(mine, other store.TouchedFiles) (changing, naming []string) {
	if mine.Repository != "" && other.Repository != "" && mine.Repository != other.Repository {
		return nil, nil
	}
	changes := append(slices.Clone(other.Committed), other.Loose...)
	changed := map[string]bool{}
	for _, file := range changes {
		changed[file] = true
	}
	changing = slices.DeleteFunc(slices.Concat(mine.Committed, mine.Loose), func(file string) bool { return !changed[file] })
	for _, pattern := range mine.Named {
		changing = append(changing, filesMatching(pattern, changes)...)
		naming = append(naming, filesMatching(pattern, other.Named)...)
	}
	for _, pattern := range other.Named {
		naming = append(naming, filesMatching(pattern, slices.Concat(mine.Committed, mine.Loose, mine.Named))...)
	}
	changing = uniqueFiles(changing)
	return changing, slices.DeleteFunc(uniqueFiles(naming), func(f string) bool { return slices.Contains(changing, f) })
}

// uniqueFiles sorts a list and removes duplicates.
func uniqueFiles(files []string) []string {
	slices.Sort(files)
	return slices.Compact(files)
}

// filesMatching returns the files that match a pattern, or that are in a directory that matches the pattern.
func filesMatching(pattern string, files []string) (found []string) {
	names := strings.Split(pattern, "/")
	plain := pattern[:strings.IndexAny(pattern+"*", `*?[\`)] // it decides for most files
	for _, file := range files {
		if strings.HasPrefix(file, plain) && matchesPattern(names, strings.Split(file, "/")) {
			found = append(found, file)
		}
	}
	return found
}

func matchesPattern(pattern, file []string) bool {
	for i, name := range pattern {
		if name == "**" {
			for from := i; from <= len(file); from++ {
				if matchesPattern(pattern[i+1:], file[from:]) {
					return true
				}
			}
			return false
		}
		if i >= len(file) {
			return false
		}
		if ok, err := path.Match(name, file[i]); !ok && (err == nil || name != file[i]) {
			return false
		}
	}
	return true
}

// NamedFiles returns the files that a handoff names in its context and its deliverables, relative to the root of a
// working tree. An empty root means that there is no working tree. A pattern with ** twice is cut before the second **,
// because a match would take too long.
func NamedFiles(h schemas.Handoff, root string) (names []string) {
	names = schemas.Map(schemas.ValueOrZero(h.Context).Files, func(f schemas.File) string { return f.Path })
	for _, d := range schemas.ValueOrZero(h.Expectations).Deliverables {
		names = append(names, d.Files...)
	}
	clean := []string{}
	for _, name := range names {
		if rel, err := filepath.Rel(root, name); err == nil && root != "" && filepath.IsAbs(name) {
			name = rel
		}
		name = path.Clean(filepath.ToSlash(name))
		if i := strings.Index(name, "**"); i >= 0 {
			before, _, _ := strings.Cut(name[i+2:], "**")
			name = strings.TrimSuffix(name[:i+2]+before, "/")
		}
		if filepath.IsLocal(name) && name != "." && name != "**" && len(name) <= maxNameBytes {
			clean = append(clean, name)
		}
	}
	clean = uniqueFiles(clean)
	return clean[:min(len(clean), maxNamed)]
}

// Limits for the files that a handoff names. The comparison runs in a transaction, and all other writers wait for it.
const (
	maxNamed     = 100
	maxNameBytes = 300
)
