package tools_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
)

func invoke(t *testing.T, tool, args string) (json.RawMessage, *schemas.Error) {
	t.Helper()
	out, err := tools.LocalInvoker{}.Invoke(t.Context(), tools.Call{Tool: tool, Args: json.RawMessage(args)})
	return out, schemas.AsError(err)
}

func TestInvoke_RefusesSendWithoutName(t *testing.T) {
	_, err := invoke(t, "send_handoff", `{"to":"qa","task":"x"}`)
	require.Equal(t, schemas.Invalid, err.Code)
	require.Equal(t, "agent", err.Field)
	require.Equal(t, "Say who you are with each call, or have this server started under a name. Nothing was sent.", err.Hint)
}

func TestInvoke_DeniesCallAsSystem(t *testing.T) {
	_, err := invoke(t, "send_handoff", `{"to":"qa","task":"x","agent":"system"}`)
	require.Equal(t, schemas.Denied, err.Code)
	require.Equal(t, "agent", err.Field)
}

func TestNewRequestID_SortsByTime(t *testing.T) {
	at := time.UnixMilli(0x18_0000_0000)
	id := tools.NewRequestID(at, zeros{})
	require.Equal(t, "00000018000000000000000000000000", id)
	require.Greater(t, tools.NewRequestID(at.Add(time.Millisecond), zeros{}), id)
	require.Panics(t, func() { tools.NewRequestID(at, iotest.ErrReader(iotest.ErrTimeout)) })
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Subagents of one client share a server and give their names with each call. The advised calls repeat the name;
// otherwise they would take the work of another subagent.
func TestAdvice_NamesAgentOfCall(t *testing.T) {
	w := newOffice(t)
	main := schemas.Caller{Agent: "main", Via: schemas.ViaStdio, Conn: "c"}
	next := func(tool, args string) string {
		out, err := w.Invoke(t.Context(), tools.Call{Caller: main, Tool: tool, Args: json.RawMessage(args)})
		require.NoError(t, err)
		var got struct{ Next []schemas.Advice }
		require.NoError(t, json.Unmarshal(out, &got))
		return schemas.RenderAdvice(got.Next)
	}
	next("send_handoff", `{"to":"qa","task":"x","expectations":{"success_criteria":["it works"]}}`)
	claimed := next("claim_handoff", `{"agent":"qa"}`)
	require.Equal(t, 3, strings.Count(claimed, `"agent":"qa"}`))
	require.Contains(t, claimed, "completes it, each criterion with evidence")
	require.Contains(t, next("claim_handoff", `{"agent":"qa"}`), `claim_handoff {"wait_seconds":50,"agent":"qa"}`)
	require.NotContains(t, next("claim_handoff", `{"agent":"main"}`), "agent")
}
