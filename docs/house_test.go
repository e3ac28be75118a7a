// Package docs_test checks the documents and the structure of the repository. The table house lists each package with
// the packages that it may import. ARCHITECTURE.md shows a picture of this table. Tests also run the commands that
// the documents show, and compare the output with the documents.
package docs_test

import (
	_ "embed"
	"strconv"
	"strings"
)

// room is a row of the table house: one of our packages, or all packages below a folder if its path ends in "/...".
type room struct {
	level   int
	path    string
	about   string
	imports []string // the exact list of our packages that it imports, or everythingBelow
	owns    []string // third-party packages that only this room and tests may import, so that they can be replaced
	drawn   bool     // the picture shows it
}

// everythingBelow is the list of imports of a room that may import all rows before its own row.
var everythingBelow = []string{"everything"}

// house lists all packages, from the lowest level to the highest. A row imports only rows before it.
var house = readHouse()

//go:embed house.txt
var houseText string

// readHouse reads the table house.txt, which explains its lines.
func readHouse() (rooms []room) {
	for line := range strings.Lines(houseText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if level, err := strconv.Atoi(words[0]); err == nil {
			path := strings.TrimSuffix(words[1], ":")
			rooms = append(rooms, room{level: level, path: path, about: strings.Join(words[2:], " ")})
			continue
		}
		last := &rooms[len(rooms)-1]
		switch words[0] {
		case "imports":
			last.imports = append(last.imports, words[1:]...)
		case "owns":
			last.owns = append(last.owns, words[1:]...)
		case "drawn":
			last.drawn = true
		default:
			panic("house.txt: " + line)
		}
	}
	return rooms
}

// testSupport lists packages that every test may import: the stores, because tests use real stores, and packages that
// check and copy rows, find remaining processes, and run the program.
var testSupport = []string{
	"schemas/sandbox", "schemas/golden", "schemas/respell/respelltest",
	"store/audit", "store/travel", "store/memory", "store/bolt", "store/storetest", "store/postgres",
	"store/postgres/postgrestest",
	"mailbox/mailboxtest", "tools/toolstest", "tools/platform/platformtest", "cmd/handoff/internal/commandtest",
}
