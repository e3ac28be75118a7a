package docs_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite what the documents show")

const (
	pictureBegins = "<!-- drawn by `go test ./docs -update` from the table in docs/house_test.go -->\n"
	pictureEnds   = "<!-- end of the drawing -->\n"
)

func TestArchitecture_ShowsHouse(t *testing.T) {
	for _, path := range drawnRooms {
		require.GreaterOrEqual(t, rowOf(path), 0, path)
	}
	compareBetween(t, "ARCHITECTURE.md", pictureBegins, pictureEnds, drawHouse())
}

// drawnRooms lists the rooms that the picture shows: the packages that a newcomer has to know.
var drawnRooms = []string{
	"schemas", "schemas/generate", "schemas/respell", "schemas/display", "tools/platform",
	"store", "store/audit", "store/travel", "store/ledger", "store/memory", "store/bolt", "store/postgres",
	"mailbox", "mailbox/life", "mailbox/longpoll", "mailbox/presence", "mailbox/names", "mailbox/sessions", "mailbox/operation",
	"mailbox/roster", "mailbox/offer", "mailbox/draft", "mailbox/compose", "mailbox/contract", "mailbox/content",
	"mailbox/brief", "mailbox/draw", "mailbox/reading", "mailbox/listing", "mailbox/overview", "mailbox/delivery",
	"mailbox/card", "mailbox/rules", "mailbox/overlap", "mailbox/secret", "mailbox/registry", "mailbox/keeping", "mailbox/tokens", "mailbox/connections",
	"mailbox/simulation", "tools", "tools/relay", "tools/telemetry", "mcp", "mcp/jsonrpc", "mcp/auth",
	"cmd/handoff", "cmd/handoff/internal/root", "cmd/handoff/internal/commands/work", "cmd/handoff/internal/commands/look",
	"cmd/handoff/internal/commands/session", "cmd/handoff/internal/commands/serve", "cmd/handoff/internal/commands/place",
	"cmd/handoff/internal/commands/checks", "cmd/handoff/internal/commands/audit", "cmd/handoff/internal/clients",
	"cmd/handoff/internal/cli", "cmd/handoff/internal/open", "cmd/handoff/internal/cluster", "cmd/handoff/internal/workspace",
	"cmd/handoff/internal/project", "cmd/handoff/internal/checks", "cmd/handoff/internal/checking",
	"cmd/handoff/internal/agentsfile",
}

// drawHouse returns the picture of house: a line for each room, from the highest level to the lowest.
func drawHouse() string {
	var b strings.Builder
	b.WriteString("```text\n")
	level := -1
	for _, r := range slices.Backward(house) {
		if !slices.Contains(drawnRooms, r.path) {
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
