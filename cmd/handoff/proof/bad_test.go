package proof_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

const badCalls = "testdata/bad_calls.txt"

// A bad call is one line of testdata/bad_calls.txt, and the line below it.
type badCall struct {
	line              int
	tool, agent, args string
	want              string
}

func (c badCall) String() string { return fmt.Sprintf("line %d %s", c.line, c.tool) }

// readBadCalls gives the calls by the name of their part.
func readBadCalls(t testing.TB) map[string][]badCall {
	t.Helper()
	text, err := os.ReadFile(badCalls)
	require.NoError(t, err)
	parts, part := map[string][]badCall{}, ""
	for i, line := range strings.Split(string(text), "\n") {
		switch calls := parts[part]; {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "== "):
			part = line[len("== "):]
		case line[0] == '\t':
			calls[len(calls)-1].want = line[1:]
		default:
			words := strings.SplitN(line, " ", 3)
			require.Len(t, words, 3, "line %d", i+1)
			parts[part] = append(calls, badCall{line: i + 1, tool: words[0], agent: strings.Trim(words[1], "-"), args: words[2]})
		}
	}
	return parts
}

// tokens are the claim tokens that were given out, by handoff, oldest first.
type tokens map[string][]string

// take remembers the token of a claim.
func (k tokens) take(result commandtest.Record) {
	if token, ok := result["claim_token"].(string); ok {
		id := result["handoff_id"].(string)
		k[id] = append(k[id], token)
	}
}

var (
	tokenForm  = regexp.MustCompile(`<(old )?token (\w+)>`)
	listForm   = regexp.MustCompile(`<(\d+) of (.+?)>`)
	repeatForm = regexp.MustCompile(`<(\d+) (.+?)>`)
	byteForm   = regexp.MustCompile(`<byte (\w\w)>`)
)

// fill replaces names in a line by their values.
func (k tokens) fill(args string) string {
	args = tokenForm.ReplaceAllStringFunc(args, func(s string) string {
		m := tokenForm.FindStringSubmatch(s)
		given := k[m[2]]
		if m[1] != "" {
			return given[0]
		}
		return given[len(given)-1]
	})
	args = expand(listForm, args, func(n int, what string) string {
		return strings.TrimSuffix(strings.Repeat(what+",", n), ",")
	})
	args = expand(repeatForm, args, func(n int, what string) string { return strings.Repeat(what, n) })
	return byteForm.ReplaceAllStringFunc(args, func(s string) string {
		b, err := strconv.ParseUint(byteForm.FindStringSubmatch(s)[1], 16, 8)
		if err != nil {
			panic(err) // the table is wrong
		}
		return string([]byte{byte(b)})
	})
}

func expand(form *regexp.Regexp, args string, by func(n int, what string) string) string {
	return form.ReplaceAllStringFunc(args, func(s string) string {
		m := form.FindStringSubmatch(s)
		n, err := strconv.Atoi(m[1])
		if err != nil {
			panic(err) // the table is wrong
		}
		return by(n, m[2])
	})
}

// told returns the error of a refused call in one line.
func told(e *schemas.Error) string {
	field := e.Field
	if field == "" {
		field = "-"
	}
	ways := e.Hint
	if len(e.Known) > 0 && !strings.Contains(ways, "Closest: ") {
		ways = strings.TrimSpace(ways + " Known: " + strings.Join(e.Known, ", ") + ".")
	}
	if e.Next != nil {
		ways = strings.TrimSpace(ways + " → " + schemas.RenderAdvice(e.Next))
	}
	return strings.ReplaceAll(fmt.Sprintf("%s %s %s | %s", e.Code, field, e.Message, ways), "\n", `\n`)
}

// prepare makes the calls of the first part over a connection that is then gone, and gives the claim tokens.
func (o *office) prepare(calls []badCall) tokens {
	o.Helper()
	given := tokens{}
	for _, c := range calls {
		given.take(o.must(c.agent, c.tool, c.args))
	}
	o.must("dev", "connection_close", `{"conn": "conn_1"}`)
	o.conn = "conn_2"
	o.must("dev", "connection_open", `{"conn": "conn_2"}`)
	return given
}

// Each refusal names the error, its field and the remedy; and nothing else changed. UPDATE_PROOF=1 writes the refusals
// into the table.
func TestBadCalls_ChangeNothing(t *testing.T) {
	parts := readBadCalls(t)
	require.GreaterOrEqual(t, len(parts["bad"]), 100)
	o := newOffice(t)
	given := o.prepare(parts["before"])
	have := map[int]string{}
	for _, part := range []string{"bad", "here"} {
		for _, c := range parts[part] {
			t.Run(c.String(), func(t *testing.T) {
				before := o.rows()
				out, err := o.call(c.agent, c.tool, given.fill(c.args))
				require.NotNil(t, err, "%v", out)
				have[c.line] = told(err)
				requireRefusalAlone(t, c.tool, string(before), string(o.rows()))
				require.True(t, err.Hint != "" || err.Known != nil || err.Next != nil, "%s", told(err))
				require.NotEqual(t, schemas.Internal, err.Code)
				require.Less(t, len(commandtest.AsJSON(t, err)), 3000)
				if os.Getenv("UPDATE_PROOF") == "" {
					require.Equal(t, c.want, told(err), "UPDATE_PROOF=1 rewrites %s", badCalls)
				}
			})
		}
	}
	if os.Getenv("UPDATE_PROOF") != "" {
		rewrite(t, have)
	}
}

// requireRefusalAlone requires that a refused call changed no row. A completion that its holder did not prove may add
// the event of its refusal, which the record of its handoff names.
func requireRefusalAlone(t *testing.T, tool, before, after string) {
	t.Helper()
	for row := range strings.SplitSeq(after, "\n") {
		if strings.Contains(before, row) {
			continue
		}
		space, _, _ := strings.Cut(row, " ")
		require.True(t, tool == "complete_handoff" && slices.Contains([]string{"sys", "records", "bodies", "events", "salts", "tree"}, space),
			"it changed %s", row)
		require.True(t, space != "events" || strings.Contains(row, "completion_refused"), row)
	}
	require.GreaterOrEqual(t, len(after), len(before), "a row is gone")
}

// rewrite writes the refusal below each bad call.
func rewrite(t *testing.T, told map[int]string) {
	t.Helper()
	text, err := os.ReadFile(badCalls)
	require.NoError(t, err)
	var lines []string
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		lines = append(lines, line)
		if says := told[i+1]; says != "" {
			lines = append(lines, "\t"+says)
		}
	}
	require.NoError(t, os.WriteFile(badCalls, []byte(strings.Join(lines, "\n")), 0o600))
}
