package respell

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/golden"
)

const formatsDocument = "../../../docs/formats.md"

// The tables in docs/formats.md are generated: from the places that TestNormalise_KeepsEveryForeignValue compares with
// the decoder, from the alias tables and from words.txt. Run go test ./schemas/respell -update to write them.
func TestFormatsDocument_ListsForeignFields(t *testing.T) {
	send := aliasesOf("header placement assignment task context role estimate")
	requireRegion(t, "foreign", "our field | theirs\n---|---\n"+foreignFieldRows("send_handoff", send)+
		foreignFieldRows("send_handoff, also below `context`, `agent_context` and `handoff_instructions`", aliasesOf("progress"))+
		foreignFieldRows("complete_handoff", aliasesOf("header handoff token ending complete"))+foreignFieldRows("fail_handoff", aliasesOf("fail"))+
		foreignFieldRows("update_handoff", aliasesOf("update")))
	requireRegion(t, "messages", messageTables(t))
	requireRegion(t, "synonyms", synonymTable())
}

func requireRegion(t *testing.T, name, table string) {
	t.Helper()
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	text, err := os.ReadFile("../../docs/formats.md")
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends)
	golden.RequireEqual(t, formatsDocument, before+begin+"\n"+table+"\n"+end+after)
}

// messageTables returns a table for each message of examples/messages, below the title of its format.
func messageTables(t *testing.T) string {
	var b strings.Builder
	for _, format := range []struct{ title, prefix string }{
		{"Kelos TaskHandoff", "kelos"},
		{"kernl", "kernl"},
		{"Agent handoff protocols", "agent-handoff-protocols"},
		{"Handoff protocol agent", "handoff-protocol-agent"},
		{"Explicit handoff coordination plan", "coordination-plan"},
	} {
		b.WriteString("### " + format.title + "\n")
		files, err := filepath.Glob("testdata/messages/" + format.prefix + "*.map.json")
		require.NoError(t, err)
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".map.json")
			b.WriteString("\n[" + name + ".json](../examples/messages/" + name + ".json)\n\n" + placesTable(t, file))
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var listIndex = regexp.MustCompile(`\[\d+\]`)

// placesTable returns the rows of one message: its fields in the order of the names, and their places in our arguments.
// Fields that keep their place share the last row.
func placesTable(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var places map[string]string
	require.NoError(t, json.Unmarshal(text, &places))
	rows, same := map[string]bool{}, map[string]bool{}
	for from, to := range places {
		theirs, ours := "`"+listIndex.ReplaceAllString(from, "[]")+"`", "`"+listIndex.ReplaceAllString(to, "[]")+"`"
		switch {
		case to == "": // an empty value of the example
		case theirs == ours:
			same[ours] = true
		default:
			rows[theirs+" | "+ours+"\n"] = true
		}
	}
	table := "their field | our field\n---|---\n" + strings.Join(slices.Sorted(maps.Keys(rows)), "")
	if len(same) > 0 {
		table += strings.Join(slices.Sorted(maps.Keys(same)), " ") + " | the same field\n"
	}
	return table
}

// synonymTable returns the rows of words.txt for names of fields and for priorities.
func synonymTable() string {
	var b strings.Builder
	b.WriteString("our field | other names\n---|---\n")
	fields, rest, _ := strings.Cut(wordsText[strings.Index(wordsText, "[fields]\n")+len("[fields]\n"):], "\n\n")
	_, priorities, _ := strings.Cut(rest, "[priorities]\n")
	priorities, _, _ = strings.Cut(priorities, "\n\n")
	for line := range strings.Lines(fields + "\n" + strings.ReplaceAll("\n"+priorities, "\n", "\npriority ") + "\n") {
		if ours, theirs, ok := strings.Cut(strings.TrimSpace(line), " | "); ok {
			b.WriteString("`" + strings.Join(strings.Fields(ours), "` `") + "` | `" + strings.Join(strings.Fields(theirs), "` `") + "`\n")
		}
	}
	return b.String()
}

// foreignFieldRows returns the rows of the table for one tool: for each of our fields, the foreign fields with other
// names that become it. All fields of origin share one row. That row is only listed for send_handoff, because it is
// nearly the same for the other tools. The id and the claim token are only listed for complete_handoff.
func foreignFieldRows(tool string, rows []aliasRow) string {
	var ours []string
	theirs, seen := map[string][]string{}, map[string]bool{}
	for _, row := range rows {
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
