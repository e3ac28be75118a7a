// These are internal tests, because no tool of the table panics or fails with an internal error on demand.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
)

type method func(*mailbox.Service, context.Context, schemas.Caller, schemas.ConnIn) (schemas.ConnOut, error)

var goOn = listAdvice(schemas.Advice{Say: "go on"})

// runMethod calls an administrative row of the test without a mailbox; such a row needs no inbox.
func runMethod(t *testing.T, c Call, m method) (out, log string, err error) {
	t.Helper()
	var b bytes.Buffer
	l := LocalInvoker{Logger: slog.New(slog.NewTextHandler(&b, nil))}
	row := defineTool(Tool{Name: "row", Admin: true}, m, func(schemas.ConnIn, schemas.ConnOut) []schemas.Advice { return goOn })
	c.Args = json.RawMessage(`{"conn":"c"}`)
	result, err := l.invokeAllowed(t.Context(), row, c)
	return string(result), b.String(), err
}

func TestInvoke_AddsInboxCountsAndAdviceToResult(t *testing.T) {
	out, _, err := runMethod(t, Call{}, func(*mailbox.Service, context.Context, schemas.Caller, schemas.ConnIn) (schemas.ConnOut, error) {
		return schemas.ConnOut{Holding: []schemas.ID{12}}, nil
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"holding":["ho_12"],"next":[{"say":"go on"}]}`, out)
}

func TestInvoke_PassesCallIDAndTimesToMethod(t *testing.T) {
	since := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	c := Call{ID: "r1", Since: since, Until: since.Add(time.Minute)}
	_, _, err := runMethod(t, c, func(_ *mailbox.Service, _ context.Context, by schemas.Caller, in schemas.ConnIn) (schemas.ConnOut, error) {
		got := Call{ID: by.Request, Since: by.Since, Until: by.Until}
		require.Equal(t, c, got)
		require.Equal(t, "c", in.Conn)
		return schemas.ConnOut{}, nil
	})
	require.NoError(t, err)
}

func TestInvoke_LogsPanicAndHidesItsText(t *testing.T) {
	_, log, err := runMethod(t, Call{}, func(*mailbox.Service, context.Context, schemas.Caller, schemas.ConnIn) (schemas.ConnOut, error) {
		panic("secret")
	})
	require.Equal(t, schemas.Internal, schemas.AsError(err).Code)
	for e := err; e != nil; e = errors.Unwrap(e) {
		require.NotContains(t, e.Error(), "secret")
	}
	require.Contains(t, log, "secret")
	require.Contains(t, log, "TestInvoke_LogsPanicAndHidesIt") // the stack
}

func TestInvoke_LogsInternalErrorAndHidesCause(t *testing.T) {
	_, log, err := runMethod(t, Call{}, func(*mailbox.Service, context.Context, schemas.Caller, schemas.ConnIn) (schemas.ConnOut, error) {
		return schemas.ConnOut{}, errors.New("disk /dev/sda1 is gone")
	})
	require.Equal(t, schemas.InternalError(nil), err)
	require.Contains(t, log, "disk /dev/sda1 is gone")
}

func TestInvoke_ReturnsRefusalAndLogsNothing(t *testing.T) {
	_, log, err := runMethod(t, Call{}, func(*mailbox.Service, context.Context, schemas.Caller, schemas.ConnIn) (schemas.ConnOut, error) {
		return schemas.ConnOut{}, schemas.Errorf(schemas.Conflict, "held by qa")
	})
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code)
	require.Empty(t, log)
}

func TestInvoke_CallCutOffByContextIsUnavailable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	row := defineAdminTool(Tool{Name: "row"}, method(func(_ *mailbox.Service, ctx context.Context, _ schemas.Caller, _ schemas.ConnIn) (schemas.ConnOut, error) {
		cancel()
		return schemas.ConnOut{}, ctx.Err()
	}))
	_, err := LocalInvoker{}.invokeAllowed(ctx, row, Call{Args: json.RawMessage(`{"conn":"c"}`)})
	require.Equal(t, schemas.Unavailable, schemas.AsError(err).Code)
}

func TestAddEnvelope_AppendsFieldsToJSONObject(t *testing.T) {
	inbox := &schemas.InboxCounts{Pending: 2}
	for _, c := range []struct {
		name, result, want string
		inbox              *schemas.InboxCounts
		next               []schemas.Advice
	}{
		{"both", `{"a":1.0}`, `{"a":1.0,"inbox":{"pending":2},"next":[{"say":"go on"}]}`, inbox, goOn},
		{"inbox", `{"a":1.0}`, `{"a":1.0,"inbox":{"pending":2}}`, inbox, nil},
		{"next, with brackets", `{"a":1.0}`, `{"a":1.0,"next":[{"say":"<b>"}]}`, nil, listAdvice(schemas.Advice{Say: "<b>"})},
		{"neither", `{"a":1.0}`, `{"a":1.0}`, nil, nil},
		{"empty result", `{}`, `{"next":[{"say":"go on"}]}`, nil, goOn},
		{"nothing at all", `{}`, `{}`, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			have, err := addEnvelope(json.RawMessage(c.result), c.inbox, c.next)
			require.NoError(t, err)
			require.Equal(t, c.want, string(have))
		})
	}
}
