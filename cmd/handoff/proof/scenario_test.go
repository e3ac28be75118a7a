//go:build unix

package proof_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/mailbox/content"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

// mostRead is the number of characters that the three models of the scenario may read in all.
const mostRead = 45_000

// A scenario is a job that three models do in a shop. They are scripted: testdata/scenario.txt has their calls.
type scenario struct {
	repository
	clients      map[string]*commandtest.Server // by agent
	parts, aside map[string]size                // what models read, and what they write or do not see
}

// A size is how long texts are. Tokens are the estimate with which the mailbox fills briefs.
type size struct{ texts, characters, tokens int }

func (n size) plus(more size) size {
	return size{n.texts + more.texts, n.characters + more.characters, n.tokens + more.tokens}
}

func count(parts map[string]size, part, text string) {
	parts[part] = parts[part].plus(size{1, utf8.RuneCountInString(text), content.CountTokens(text)})
}

// connect starts the server of an agent. What every session reads first is counted once for each agent: the client of a
// killed server starts another one, and its model goes on with the list that it has.
func (s *scenario) connect(agent string) {
	root := filepath.Dir(s.dir)
	home := commandtest.Home{T: s.t, State: filepath.Join(root, "state")}
	client := home.StartServerCommand("codex-mcp-client", map[string]string{"HOME": root}, program, "mcp", "--agent", agent)
	if s.clients[agent] == nil {
		var hello struct{ Instructions string }
		require.NoError(s.t, json.Unmarshal([]byte(client.Hello), &hello))
		count(s.parts, "instructions", hello.Instructions)
		var list struct {
			Tools []struct {
				Name, Description         string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		require.NoError(s.t, json.Unmarshal([]byte(client.Request("tools/list", `{}`)), &list))
		var inputs, outputs strings.Builder
		for _, tool := range list.Tools {
			inputs.WriteString(tool.Name + tool.Description + string(tool.InputSchema))
			outputs.Write(tool.OutputSchema)
		}
		count(s.parts, "list of tools", inputs.String())
		count(s.aside, "output schemas", outputs.String())
	}
	s.clients[agent] = client
}

// call counts the directory of the shop with one length, because that of a test depends on the machine.
func (s *scenario) call(agent, tool, args string) {
	var said bytes.Buffer
	require.NoError(s.t, json.Compact(&said, []byte(args)), args)
	var answer struct {
		IsError bool
		Content []struct{ Text string }
	}
	result := s.clients[agent].Request("tools/call", fmt.Sprintf(`{"name": %q, "arguments": %s}`, tool, &said))
	require.NoError(s.t, json.Unmarshal([]byte(result), &answer))
	require.Len(s.t, answer.Content, 1)
	require.False(s.t, answer.IsError, "%s %s %s: %s", agent, tool, &said, answer.Content)
	count(s.aside, "arguments of calls", said.String())
	count(s.parts, "answers of "+tool, strings.ReplaceAll(answer.Content[0].Text, s.dir, "/home/me/shop"))
}

// play does what a line says: what a person types, work in a shell, the kill of a server, or the call of an agent.
func (s *scenario) play(line string) {
	who, what, _ := strings.Cut(line, " ")
	switch who {
	case "", "#":
	case "person":
		s.handoff(0, strings.Fields(what)...)
	case "shell":
		s.work("sh", "-c", what)
	case "kill":
		require.NoError(s.t, s.clients[what].Cmd.Process.Kill())
		s.clients[what].Wait()
		s.connect(what)
	default:
		tool, args, _ := strings.Cut(what, " ")
		s.call(who, tool, cmp.Or(args, "{}"))
	}
}

// table shows the parts that models read, their sums, and the other parts.
func (s *scenario) table() (table string, sum size) {
	var answers size
	for part, n := range s.parts {
		sum = sum.plus(n)
		if strings.HasPrefix(part, "answers") {
			answers = answers.plus(n)
		}
	}
	table = fmt.Sprintf("%-28s %5s %10s %7s %6s\n", "part", "texts", "characters", "tokens", "share")
	row := func(part string, n size) {
		table += fmt.Sprintf("%-28s %5d %10d %7d %5.1f%%\n", part, n.texts, n.characters, n.tokens, 100*float64(n.characters)/float64(sum.characters))
	}
	for _, part := range slices.Sorted(maps.Keys(s.parts)) {
		row(part, s.parts[part])
	}
	row("sum of the answers", answers)
	row("sum of all that is read", sum)
	for _, part := range slices.Sorted(maps.Keys(s.aside)) {
		row("not in it: "+part, s.aside[part])
	}
	return table, sum
}

// Three models pass five handoffs: a check, a question, a killed server, a review with rework, an approval.
func TestScenario_IsReadWithinBound(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	lines, err := os.ReadFile("testdata/scenario.txt")
	require.NoError(t, err)
	s := &scenario{newShop(t), map[string]*commandtest.Server{}, map[string]size{}, map[string]size{}}
	t.Chdir(s.dir)
	for _, agent := range []string{"boss", "dev", "sec"} {
		s.connect(agent)
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(string(lines), "\n\t", " "), "\n") {
		s.play(line)
	}
	for _, id := range []string{"ho_1", "ho_2", "ho_7", "ho_4", "ho_5"} { // ho_7 is round 2 of ho_3
		var got schemas.GetOut
		s.read(&got, 0, "show", id)
		require.Equal(t, schemas.Success, got.Completion.Status, id)
		require.Equal(t, id == "ho_7", got.Handoff.Rework != nil && got.Handoff.Rework.Round == 2, id)
		last := got.Completion.Criteria[len(got.Completion.Criteria)-1]
		require.Equal(t, id == "ho_1", last.Observed != nil && last.IsMet(), id)
	}
	for _, client := range s.clients {
		client.CloseInput()
	}
	table, sum := s.table()
	t.Log("\n" + table)
	require.LessOrEqual(t, sum.characters, mostRead)
}
