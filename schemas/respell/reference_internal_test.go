package respell

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/golden"
)

// The table of foreign fields in docs/tools.md is generated from the alias tables. Run go test ./schemas/respell
// -update to write it.
func TestToolsDocument_ListsForeignFields(t *testing.T) {
	const document, begin, end = "../../../docs/tools.md", "<!-- foreign:begin -->\n", "<!-- foreign:end -->"
	text, err := os.ReadFile("../../docs/tools.md")
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends)
	send := expandRows(headerAliases, placementAliases, assignmentAliases, taskAliases, contextAliases, roleAliases)
	table := "\nour field | theirs\n---|---\n" + foreignFieldRows("send_handoff", send) +
		foreignFieldRows("send_handoff, also below `context`, `agent_context` and `handoff_instructions`", expandRows(progressAliases)) +
		foreignFieldRows("complete_handoff", completeAliases) + foreignFieldRows("fail_handoff", failAliases[len(headerAliases)+len(holderAliases):]) +
		foreignFieldRows("update_handoff", updateAliases[len(holderAliases):]) + "\n"
	golden.RequireEqual(t, document, before+begin+table+end+after)
}

// foreignFieldRows returns the rows of the table for one tool: for each of our fields, the foreign fields with other
// names that become it. All fields of origin share one row. That row is only listed for send_handoff, because it is
// nearly the same for the other tools. The id and the claim token are only listed for complete_handoff.
func foreignFieldRows(tool string, rows []aliasRow) string {
	var ours []string
	theirs, seen := map[string][]string{}, map[string]bool{}
	for _, row := range expandRows(rows) {
		to, said := cmp.Or(row.to, "origin.extra"), lastNameOf(row.from)
		kept := firstNameOf(to) == "origin"
		if kept {
			to = "origin"
		}
		if row.read.isHint || seen[to+" "+said] || kept && !strings.HasPrefix(tool, "send_handoff") || lastNameOf(to) == said {
			continue
		}
		if theirs[to] == nil {
			ours = append(ours, to)
		}
		seen[to+" "+said] = true
		theirs[to] = append(theirs[to], row.from)
	}
	var b strings.Builder
	b.WriteString("**" + tool + "** |\n")
	for _, to := range ours {
		b.WriteString("`" + to + "` | `" + strings.Join(theirs[to], "` `") + "`\n")
	}
	return b.String()
}

func lastNameOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
