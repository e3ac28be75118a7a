package proof_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/sandbox"
)

// exchange starts "handoff mcp", writes everything at once, ends the input, and gives the answers by id.
func exchange(p commandtest.Home, input io.Reader) map[string]wireAnswer {
	p.T.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(p.T.Context()), commandtest.Program, "mcp", "--workspace", "w", "--agent", "dev")
	cmd.Env = p.Environ()
	cmd.Stdin = input
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(p.T, cmd.Run(), "%s", &stderr)
	answers := map[string]wireAnswer{}
	for lines := bufio.NewScanner(&stdout); lines.Scan(); {
		var a wireAnswer
		require.NoError(p.T, json.Unmarshal(lines.Bytes(), &a), "%s", lines.Bytes())
		if a.Method == "" {
			require.NotContains(p.T, answers, string(a.ID), "answered twice")
			answers[string(a.ID)] = a
		}
	}
	return answers
}

type wireAnswer struct {
	ID     json.RawMessage
	Method string
	Result struct {
		IsError           bool
		StructuredContent commandtest.Record
	}
	Error struct {
		Code    int
		Message string
	}
}

// HANDOFF_PROOF_ROUNDS=200 asks for more than the 20 rounds of every day.
func TestStdio_AnswersCallsAtEndOfInput(t *testing.T) {
	t.Parallel()
	rounds := sandbox.Repetitions(20)
	if more, err := strconv.Atoi(os.Getenv("HANDOFF_PROOF_ROUNDS")); err == nil {
		rounds = more
	}
	p := commandtest.NewHome(t)
	for round := range rounds {
		var input strings.Builder
		input.WriteString(commandtest.Hello)
		for id := range 50 {
			switch id % 5 {
			case 0, 1:
				input.WriteString(commandtest.ToolCall(id, "send_handoff", fmt.Sprintf(`{"to": "qa", "task": "Test %d of %d"}`, id, round)))
			case 2:
				input.WriteString(commandtest.ToolCall(id, "list_handoffs", `{"box": "all"}`))
			case 3:
				input.WriteString(commandtest.ToolCall(id, "claim_handoff", `{"agent": "qa"}`))
			default:
				input.WriteString(commandtest.ToolCall(id, "get_handoff", `{"handoff_id": 999999}`)) // refused
			}
		}
		answers := exchange(p, strings.NewReader(input.String()))
		require.Len(t, answers, 51, "round %d", round)
		for id := range 50 {
			a := answers[strconv.Itoa(id)]
			require.Zero(t, a.Error.Code, "%d: %s", id, a.Error.Message)
			require.Equal(t, id%5 == 4, a.Result.IsError, "%d", id)
		}
	}
	require.Contains(t, p.Must("audit", "verify"), fmt.Sprintf("%d handoffs", 20*rounds), "each send that was answered is there")
}

// A line that is no message is answered, the next one as if nothing had been, and nothing changes.
func TestStdio_AnswersBrokenProtocol(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	exchange(p, strings.NewReader(commandtest.Hello+commandtest.ToolCall(1, "send_handoff", `{"to": "qa", "task": "Be there"}`)))
	file := filepath.Join(p.State, "handoff", "w", "handoff.db")
	before := rowsIn(t, file)
	for name, broken := range map[string]struct {
		line string
		id   string // of the answer
		code int    // zero where the tool refuses it, in its result
		says string
	}{
		"broken JSON":   {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":` + "\n", "null", -32700, "not JSON"},
		"no JSON":       {"hello\n", "null", -32700, "not JSON"},
		"invalid UTF-8": {commandtest.ToolCall(7, "send_handoff", "{\"to\": \"qa\", \"task\": \"\xff\"}"), "7", -32700, "UTF-8"},
		"no object":     {"42\n", "null", -32600, "not a JSON-RPC object"},
		"no method":     {`{"jsonrpc":"2.0","id":7}` + "\n", "7", -32601, ""},
		"a number that is none": {
			commandtest.ToolCall(7, "send_handoff", `{"to": "qa", "task": "x", "context": {"state": {"n": 1e999}}}`), "7", 0, "",
		},
		"a line of 32 MiB": {
			commandtest.ToolCall(7, "send_handoff", `{"to": "qa", "task": "`+strings.Repeat("x", 32<<20)+`"}`), "7", -32600, "at most 4194304",
		},
	} {
		t.Run(name, func(t *testing.T) {
			answers := exchange(p, io.MultiReader(
				strings.NewReader(commandtest.Hello), strings.NewReader(broken.line), strings.NewReader(commandtest.ToolCall(8, "list_handoffs", `{"box": "all"}`))))
			require.Len(t, answers, 3)
			require.Equal(t, broken.code, answers[broken.id].Error.Code, "%+v", answers)
			require.Contains(t, answers[broken.id].Error.Message, broken.says)
			require.Equal(t, broken.code == 0, answers[broken.id].Result.IsError)
			require.Len(t, answers["8"].Result.StructuredContent["items"], 1, "the next call is answered")
			require.Equal(t, string(before), string(rowsIn(t, file)), "it changed something")
		})
	}
}
