package roster

import (
	"cmp"
	"slices"
	"strings"

	"handoff/schemas"
)

const mostClosest = 3

// Closest gives the known names that may be meant by one that is not known, the likeliest first, at most
// three. A name is likely when at most a third of it, or one character, is mistyped, or when one begins with the
// other; case does not matter.
func Closest(name string, known []schemas.Agent) []schemas.Agent {
	type guess struct {
		agent schemas.Agent
		far   int
	}
	var guesses []guess
	for _, agent := range known {
		if far, ok := away(strings.ToLower(name), strings.ToLower(string(agent))); ok {
			guesses = append(guesses, guess{agent, far})
		}
	}
	slices.SortFunc(guesses, func(a, b guess) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.agent, b.agent))
	})
	var agents []schemas.Agent
	for _, g := range guesses[:min(len(guesses), mostClosest)] {
		agents = append(agents, g.agent)
	}
	return agents
}

// away tells how far two names are from each other, and whether one may be meant by the other.
func away(a, b string) (far int, likely bool) {
	if a == "" || len(a) > 128 { // no agent has such a name
		return 0, false
	}
	far = distance(a, b)
	shorter := min(len(a), len(b))
	part := shorter >= 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
	typo := far <= max(1, shorter/3) && far < shorter
	return far, part || typo
}

// distance counts the characters to insert, delete, change, or swap with their neighbour.
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
