// Package closest finds likely corrections of an unknown name: the known names that the writer probably meant. It is
// used for names of agents, tools and fields, and for values of a field with few values (such as priorities). Errors
// about an unknown name list the likeliest known names first.
//
// The package counts a swap of two neighbouring letters as one mistake, so that aq is close to qa. The well-maintained
// libraries count it as two mistakes.
package closest

import (
	"slices"
	"strings"
)

// SortByLikelihood returns all known names: first the names that the writer of written likely meant, then all other
// names. Both groups are sorted by their distance from written. Names with equal distance keep their order.
func SortByLikelihood[S ~string](written S, known []S) []S {
	order, _ := rankNames(written, known)
	return order
}

// LikelyNames returns the known names that the writer of written likely meant, the closest first. A name is likely if
// at most a third of its characters are mistyped. One mistyped character is always allowed. It is also likely if the
// shorter of the two names is the beginning of the longer. Upper and lower case count as the same.
func LikelyNames[S ~string](written S, known []S) []S {
	near := slices.DeleteFunc(slices.Clone(known), func(name S) bool { return isTooFar(foldCase(written), foldCase(name)) })
	order, likely := rankNames(written, near)
	return order[:likely]
}

// isTooFar reports whether the lengths and beginnings alone show that two names are too different. LikelyNames uses it
// to save slow comparisons.
func isTooFar(a, b string) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	return longer-shorter > maxDistance(shorter) && a[:shorter] != b[:shorter]
}

// maxDistance returns the largest distance at which two names are likely the same. Shorter is the length of the shorter
// name.
func maxDistance(shorter int) int { return max(1, shorter/3) }

// rankNames returns all known names in the order of [SortByLikelihood], and the number of likely names at its
// beginning.
func rankNames[S ~string](written S, known []S) (order []S, likely int) {
	rank := make(map[S]int, len(known))
	for _, name := range known {
		far, ok := compareNames(foldCase(written), foldCase(name))
		if ok {
			likely++
		} else {
			far += maxCompared + 1 // behind all likely names
		}
		rank[name] = far
	}
	order = append([]S{}, known...)
	slices.SortStableFunc(order, func(a, b S) int { return rank[a] - rank[b] })
	return order, likely
}

// maxCompared is the number of bytes of a name that are compared. All names of handoff are shorter.
const maxCompared = 128

func foldCase[S ~string](name S) string {
	return strings.ToLower(string(name[:min(len(name), maxCompared)]))
}

// compareNames returns the distance of two names, and whether a writer of one likely meant the other.
func compareNames(a, b string) (far int, likely bool) {
	far = editDistance(a, b)
	shorter := min(len(a), len(b))
	part := shorter >= 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
	typo := far <= maxDistance(shorter) && far < shorter
	return far, part || typo
}

// editDistance returns the smallest number of edits that turn a into b. An edit inserts, deletes or replaces one byte,
// or swaps two neighbouring bytes.
func editDistance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			replaced := above[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
