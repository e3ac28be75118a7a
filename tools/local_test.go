package tools_test

import (
	"encoding/json"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
)

func invoke(t *testing.T, tool, args string) (json.RawMessage, *schemas.Error) {
	t.Helper()
	out, err := tools.Local{}.Invoke(t.Context(), tools.Call{Tool: tool, Args: json.RawMessage(args)})
	return out, schemas.AsError(err)
}

func TestNobodySendsWithoutAName(t *testing.T) {
	_, err := invoke(t, "send_handoff", `{"to":"qa","task":"x"}`)
	require.Equal(t, schemas.Invalid, err.Code)
	require.Equal(t, "agent", err.Field)
	require.Equal(t, "Say it with the argument agent, or start with --agent NAME or HANDOFF_AGENT=NAME. Nothing was sent.", err.Hint)
}

func TestAgentMayBeRefused(t *testing.T) {
	_, err := invoke(t, "send_handoff", `{"to":"qa","task":"x","agent":"system"}`)
	require.Equal(t, schemas.Denied, err.Code)
	require.Equal(t, "agent", err.Field)
}

func TestRequestIDsSortByTime(t *testing.T) {
	at := time.UnixMilli(0x18_0000_0000)
	id := tools.NewRequestID(at, zeros{})
	require.Equal(t, "00000018000000000000000000000000", id)
	require.Greater(t, tools.NewRequestID(at.Add(time.Millisecond), zeros{}), id)
	require.Panics(t, func() { tools.NewRequestID(at, iotest.ErrReader(iotest.ErrTimeout)) })
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
