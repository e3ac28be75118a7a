package mailbox

import (
	"fmt"
	"strings"

	"handoff/schemas"
)

// mostNamed is how many agents an error lists.
const mostNamed = 20

// enumerate lists agents in a sentence.
func enumerate(names []schemas.Agent) string {
	if len(names) > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(texts(names[:mostNamed]), ", "), len(names)-mostNamed)
	}
	return strings.Join(texts(names), ", ")
}

// texts are names as text.
func texts[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}
