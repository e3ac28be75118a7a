package docs_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what the documents show")

const (
	pictureBegins = "<!-- drawn by `go test ./docs -update` from the table in docs/house.txt -->\n"
	pictureEnds   = "<!-- end of the drawing -->\n"
)

func TestArchitecture_ShowsHouse(t *testing.T) {
	compareBetween(t, "ARCHITECTURE.md", pictureBegins, pictureEnds, drawHouse())
}

// drawHouse returns the picture of house: a line for each room, from the highest level to the lowest.
func drawHouse() string {
	var b strings.Builder
	b.WriteString("```text\n")
	level := -1
	for _, r := range slices.Backward(house) {
		if !r.drawn {
			continue
		}
		floor := " "
		if r.level != level {
			level, floor = r.level, fmt.Sprint(r.level)
		}
		fmt.Fprintf(&b, "%s  %-38s  %s\n", floor, r.path, r.about)
	}
	return b.String() + "```\n"
}
