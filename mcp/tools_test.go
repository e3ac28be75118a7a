package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/store"
	"handoff/tools"
)

func TestTools_AreListedWithAllHintsInOldAndNewRevisions(t *testing.T) {
	for revision, line := range map[string]string{
		"2025-03-26": `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"2025-06-18": `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"2026-07-28": modernRequest(1, "tools/list", ""),
	} {
		c := connect(t, config(newStandIn()))
		if revision < "2026-07-28" {
			c.send(initialize("probe", revision))
			c.nextLine()
		}
		c.send(line)
		list := parse(t, c.nextLine()).Result.Tools
		require.Len(t, list, len(tools.Table()))
		require.Len(t, list, 10)
		for i, row := range tools.Table() {
			got := list[i]
			require.Equal(t, row.Name, got.Name)
			require.Equal(t, row.Title, got.Title)
			require.JSONEq(t, string(row.InputSchema()), string(got.InputSchema))
			if revision == "2025-03-26" {
				require.Empty(t, got.OutputSchema, "this revision knows no output schemas")
			} else {
				require.JSONEq(t, string(row.OutputSchema()), string(got.OutputSchema))
			}
			require.Equal(t, &row.ReadOnly, got.Annotations.ReadOnlyHint)
			require.Equal(t, &row.Idempotent, got.Annotations.IdempotentHint)
			require.Equal(t, new(false), got.Annotations.DestructiveHint)
			require.Equal(t, new(false), got.Annotations.OpenWorldHint)
			require.Equal(t, row.Title, got.Annotations.Title)
		}
	}
}

func TestTools_ReturnResultAsTextAndStructuredContent(t *testing.T) {
	c := connect(t, workspace(t))
	c.send(callRequest(1, "send_handoff", `{"agent":"amy","to":"qa","task":"Test <login> & logout"}`))
	got := parse(t, c.nextLine())
	require.JSONEq(t, got.text(), string(got.Result.StructuredContent))
	require.False(t, got.Result.IsError)
}

func TestTools_PassArgumentsUnchanged(t *testing.T) {
	for sent, arrives := range map[string]string{
		`{"n":9007199254740993,"x":1.10,"n":2}`: `{"n":9007199254740993,"x":1.10,"n":2}`,
		`[1]`:                                   `[1]`,
		`"{}"`:                                  `"{}"`,
		`null`:                                  `{}`,
	} {
		s := newStandIn()
		c := connect(t, config(s))
		c.send(callRequest(1, "send_handoff", sent))
		c.nextLine()
		require.Equal(t, arrives, string(s.callsOf("send_handoff")[0].Args))
	}
}

func TestTools_AcceptMissingArguments(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"claim_handoff"}}`)
	require.False(t, parse(t, c.nextLine()).Result.IsError)
	require.Equal(t, `{}`, string(s.callsOf("claim_handoff")[0].Args))
}

func TestTools_ReturnRefusalAsResultWithoutStructuredContent(t *testing.T) {
	c := connect(t, workspace(t))
	c.send(callRequest(1, "get_handoff", `{"handoff_id":"<b>"}`))
	got := parse(t, c.nextLine())
	require.True(t, got.Result.IsError)
	require.Nil(t, got.Result.StructuredContent)
	require.JSONEq(t, `{"code":"not_found","message":"there is no handoff \"<b>\"","field":"handoff_id","next":[{"say":"shows what exists","tool":"list_handoffs","args":{"box":"all"}}]}`, got.text())
	require.Contains(t, got.text(), "<b>")
}

func TestTools_WriteCauseOfInternalErrorOnlyToLog(t *testing.T) {
	for _, do := range []string{"panic", "break"} {
		cfg := config(newStandIn())
		log := captureLog(&cfg)
		c := connect(t, cfg)
		c.send(callRequest(1, "send_handoff", `{"do":"`+do+`"}`))
		line := c.nextLine()
		require.NotContains(t, line, "secret")
		require.Contains(t, parse(t, line).text(), `"code":"internal"`)
		require.True(t, parse(t, line).Result.IsError)
		require.NoError(t, c.closeInput())
		require.Contains(t, log.String(), "a secret of the server")
		require.Contains(t, log.String(), "send_handoff")
	}
}

// brokenStore is a store that fails, as after a fault of its disk.
type brokenStore struct{}

func (brokenStore) View(context.Context, func(store.Reader) error) error {
	return errors.New("a secret of the disk")
}

func (brokenStore) Update(context.Context, func(store.Writer) error) error {
	return errors.New("a secret of the disk")
}
func (brokenStore) Close() error { return nil }

func TestTools_LogInternalErrorOnce(t *testing.T) {
	cfg := config(newStandIn())
	log := captureLog(&cfg)
	cfg.Invoker = tools.LocalInvoker{Logger: cfg.Logger, Mailbox: mailbox.New(mailbox.Config{
		Store: store.New(brokenStore{}), Now: time.Now, NewID: func(prefix string) string { return prefix },
	})}
	c := connect(t, cfg)
	c.send(callRequest(1, "get_handoff", `{"handoff_id":"1"}`))
	require.Contains(t, parse(t, c.nextLine()).text(), `"code":"internal"`)
	require.NoError(t, c.closeInput())
	require.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), log.String())
	require.Contains(t, log.String(), "a secret of the disk")
}

func TestTools_AnswerInternalErrorIfResultIsNotJSON(t *testing.T) {
	cfg := config(newStandIn())
	log := captureLog(&cfg)
	c := connect(t, cfg)
	c.send(callRequest(1, "send_handoff", `{"do":"garbage"}`))
	got := parse(t, c.nextLine())
	require.Equal(t, -32603, got.Error.Code)
	require.Equal(t, "1", string(got.ID))
	require.NoError(t, c.closeInput())
	require.Contains(t, log.String(), "does not encode")
}

func TestTools_RefuseUnknownToolInOldAndNewRevisions(t *testing.T) {
	for _, line := range []string{callRequest(1, "claim_task", `{}`), modernRequest(1, "tools/call", `"name":"claim_task","arguments":{}`)} {
		s := newStandIn()
		c := connect(t, config(s))
		c.send(line)
		got := parse(t, c.nextLine())
		require.True(t, got.Result.IsError)
		var e struct {
			Code  string
			Known []string
		}
		require.NoError(t, json.Unmarshal([]byte(got.text()), &e))
		require.Equal(t, "not_found", e.Code)
		require.Equal(t, "claim_handoff", e.Known[0])
		require.Empty(t, s.calls)
	}
}

func TestTools_OfferNoAdministrationTools(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(callRequest(1, "connection_close", `{"conn":"other"}`))
	require.Contains(t, parse(t, c.nextLine()).text(), "not_found")
	require.Empty(t, s.calls)
}
