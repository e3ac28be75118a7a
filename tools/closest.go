package tools

import (
	"cmp"
	"slices"
	"strings"
)

// nearest sorts names by how little they differ from what was written.
func nearest(written string, names []string) []string {
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return cmp.Compare(distance(written, a), distance(written, b))
	})
}

// closest is a hint at the one that was probably meant, else at all of them.
func closest(written string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	best := nearest(written, names)[0]
	if distance(written, best) <= min(max(2, len(best)/3), len(best)-1) {
		return "Closest: " + best + "."
	}
	return "Known: " + strings.Join(names, ", ") + "."
}

// distance counts the letters to insert, delete or replace (Levenshtein), whatever their case. The begin of
// a name is one letter away from it.
func distance(written, name string) int {
	written = strings.ToLower(written[:min(len(written), 64)])
	if len(written) > 2 && len(written) < len(name) && strings.HasPrefix(name, written) {
		return 1
	}
	row := make([]int, len(name)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(written) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(name) {
			replaced := diagonal
			if written[i] != name[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(name)]
}
