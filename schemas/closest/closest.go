// Package closest finds the known names that a writer likely meant by an unknown name: an agent, a tool, a field or a
// word. It serves refusals, which name the likeliest choice first.
//
// The distance is our own. It counts a swap of two letters as one mistake, so that aq means qa; the well-kept
// libraries do not.
package closest

import (
	"slices"
	"strings"
)

// Order returns all known names: first the likely ones, and each group by its distance from written. Names with equal
// distance keep their order.
func Order[S ~string](written S, known []S) []S {
	order, _ := rankNames(written, known)
	return order
}

// Likely returns the known names that written likely means, the least distant first. A name is likely if at most a
// third of its characters, or one, are mistyped, or if the shorter of the two is the beginning of the longer. Upper
// and lower case are the same.
func Likely[S ~string](written S, known []S) []S {
	near := slices.DeleteFunc(slices.Clone(known), func(name S) bool { return tooFar(fold(written), fold(name)) })
	order, likely := rankNames(written, near)
	return order[:likely]
}

// tooFar tells from lengths and beginnings that neither name is likely meant by the other. It saves the full
// comparison.
func tooFar(a, b string) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	return longer-shorter > maxDistance(shorter) && a[:shorter] != b[:shorter]
}

// maxDistance returns the largest distance at which two names are likely the same; shorter is the length of the
// shorter.
func maxDistance(shorter int) int { return max(1, shorter/3) }

// rankNames returns all known names in order, and the number of likely ones.
func rankNames[S ~string](written S, known []S) (order []S, likely int) {
	rank := make(map[S]int, len(known))
	for _, name := range known {
		far, ok := compare(fold(written), fold(name))
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

// maxCompared bounds the compared bytes of a name: no name of ours is longer.
const maxCompared = 128

func fold[S ~string](name S) string {
	return strings.ToLower(string(name[:min(len(name), maxCompared)]))
}

// compare returns the distance of two names, and whether one is likely meant by the other.
func compare(a, b string) (far int, likely bool) {
	far = distance(a, b)
	shorter := min(len(a), len(b))
	part := shorter >= 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
	typo := far <= maxDistance(shorter) && far < shorter
	return far, part || typo
}

// distance counts the bytes to insert, delete, replace, or swap with their neighbour.
func distance(a, b string) int {
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
