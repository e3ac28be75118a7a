package docs_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite what the documents show")

const (
	pictureBegins = "<!-- drawn by `go test ./docs -update` from the table in docs/house_test.go -->\n"
	pictureEnds   = "<!-- end of the drawing -->\n"
)

func TestArchitectureShowsTheHouse(t *testing.T) {
	const file = "ARCHITECTURE.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), pictureBegins)
	drawn, after, ends := strings.Cut(rest, pictureEnds)
	if !begins || !ends {
		t.Fatalf("%s lacks the lines that enclose the picture:\n%s%s", file, pictureBegins, pictureEnds)
	}
	want := picture()
	if *update {
		if err := os.WriteFile(file, []byte(before+pictureBegins+want+pictureEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if drawn != want {
		t.Errorf("%s shows another house than the table: run go test ./docs -update\n%s", file, want)
	}
}

// commands is the floor of the command line.
const commands = 5

// picture draws the house from the roof down, a line for each row.
func picture() string {
	var path, about int
	for _, r := range house {
		path = max(path, utf8.RuneCountInString(r.path))
		about = max(about, utf8.RuneCountInString(r.about))
	}
	var b strings.Builder
	b.WriteString("```text\n")
	level := -1
	for _, r := range slices.Backward(house) {
		floor := " "
		if r.level != level {
			if level >= 0 {
				fmt.Fprintf(&b, "──┼%s\n", strings.Repeat("─", path+about+5))
			}
			level, floor = r.level, fmt.Sprint(r.level)
		}
		line := fmt.Sprintf("%s │ %-*s  %-*s  %s", floor, path, r.path, about, r.about, r.edges())
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("```\n")
	return b.String()
}

// edges shows what a row imports: ours behind an arrow, others behind a dot. What commands import of ours is in the
// table alone: it is long, and says little.
func (r room) edges() string {
	var parts []string
	if len(r.imports) > 0 && r.level < commands {
		parts = append(parts, "→ "+strings.Join(r.imports, ", "))
	}
	if len(r.owns) > 0 {
		parts = append(parts, "· "+strings.Join(r.owns, ", "))
	}
	return strings.Join(parts, "  ")
}
