package proof_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

// unreadCount returns the number of unread notices in a result. It is 0 if the result has no number.
func unreadCount(out commandtest.Record) json.Number {
	n, _ := out["inbox"].(map[string]any)["notices"].(json.Number)
	return cmp.Or(n, "0")
}

// pages lists all, a few rows at a time. Between one page and the next, meanwhile may change things.
func (o *office) pages(agent string, filters map[string]any, meanwhile func(page []string)) (all []string) {
	o.Helper()
	args := map[string]any{"limit": 7}
	maps.Copy(args, filters)
	for range 1000 {
		out := o.must(agent, "list_handoffs", commandtest.AsJSON(o.TB.(*testing.T), args))
		page := commandtest.RowIDs(out)
		require.LessOrEqual(o, len(page), 7)
		all = append(all, page...)
		if out["next_cursor"] == nil {
			return all
		}
		args["cursor"] = out["next_cursor"]
		if meanwhile != nil {
			meanwhile(page)
		}
	}
	o.Fatal("it never ends")
	return nil
}

// A mixed mailbox: 100 handoffs of four priorities, three types and some tags, a minute apart, in two workflows.
func mixed(t *testing.T) *office {
	t.Helper()
	o := newOffice(t)
	for i := range 100 {
		o.Pass(time.Minute)
		o.must([]string{"dev", "lead"}[i%2], "send_handoff", fmt.Sprintf(
			`{"to": "qa", "task": "Task number%d about %s", "priority": %q, "type": %q, "tags": ["t%d"], "workflow": "w%d", "parent": "none"}`,
			i, []string{"login", "logout", "the cart"}[i%3], []string{"normal", "high", "low", "critical"}[i%4],
			[]string{"task_handoff", "testing", "review"}[i%3], i%5, i%2))
	}
	return o
}

func numbered(from, to int, which func(i int) bool) (all []string) {
	for i := from; i <= to; i++ {
		if which(i) {
			all = append(all, fmt.Sprintf("ho_%d", i))
		}
	}
	return all
}

func every(int) bool { return true }

func TestPages_ShowEachRowOnce(t *testing.T) {
	o := mixed(t)
	for name, c := range map[string]struct {
		filters map[string]any
		want    func(i int) bool // of the id
	}{
		"inbox":                       {map[string]any{}, every},
		"all":                         {map[string]any{"box": "all"}, every},
		"state":                       {map[string]any{"box": "all", "status": "pending"}, every},
		"a state that nothing is in":  {map[string]any{"box": "all", "status": "failed"}, func(int) bool { return false }},
		"workflow":                    {map[string]any{"box": "all", "workflow": "w1"}, func(i int) bool { return (i-1)%2 == 1 }},
		"workflow with its prefix":    {map[string]any{"workflow": "wf_w0"}, func(i int) bool { return (i-1)%2 == 0 }},
		"tag":                         {map[string]any{"tags": "t3"}, func(i int) bool { return (i-1)%5 == 3 }},
		"one of two tags":             {map[string]any{"box": "all", "tags": []string{"t3", "t4"}}, func(i int) bool { return (i-1)%5 >= 3 }},
		"type":                        {map[string]any{"type": "review"}, func(i int) bool { return (i-1)%3 == 2 }},
		"the usual type":              {map[string]any{"box": "all", "type": "task_handoff"}, func(i int) bool { return (i-1)%3 == 0 }},
		"word":                        {map[string]any{"query": "login"}, func(i int) bool { return (i-1)%3 == 0 }},
		"words in any order and case": {map[string]any{"box": "all", "query": "NUMBER42 task"}, func(i int) bool { return i == 43 }},
		"a word that nobody said":     {map[string]any{"box": "all", "query": "signup"}, func(int) bool { return false }},
		"since a time":                {map[string]any{"since": o.Now().Add(-10 * time.Minute).Format(time.RFC3339)}, func(i int) bool { return i >= 90 }},
		"since a while":               {map[string]any{"box": "all", "since": "30m"}, func(i int) bool { return i >= 70 }},
		"tag, type and word":          {map[string]any{"tags": "t0", "type": "testing", "query": "logout"}, func(i int) bool { return (i-1)%15 == 10 }},
	} {
		t.Run(name, func(t *testing.T) {
			require.ElementsMatch(t, numbered(1, 100, c.want), o.pages("qa", c.filters, nil))
		})
	}
	require.ElementsMatch(t, numbered(1, 100, func(i int) bool { return i%2 == 1 }), o.pages("dev", map[string]any{"box": "sent"}, nil))
}

// The inbox is in the order of claims; a cursor stays valid when the last shown handoff is gone.
func TestPages_OfShrinkingInboxSkipNothing(t *testing.T) {
	o := mixed(t)
	order := o.pages("qa", nil, nil)
	require.Len(t, order, 100)
	shown := o.pages("qa", nil, func(page []string) {
		last := page[len(page)-1]
		out := o.must("qa", "claim_handoff", fmt.Sprintf(`{"handoff_id": %q}`, last))
		require.Equal(t, last, out["handoff_id"])
		o.must("qa", "complete_handoff", fmt.Sprintf(`{"handoff_id": %q, "summary": "Done"}`, last))
	})
	require.Equal(t, order, shown)
}

// Newest first: a new handoff comes before the first page and moves nothing.
func TestPages_DuringSendsRepeatNothing(t *testing.T) {
	o := mixed(t)
	shown := o.pages("qa", map[string]any{"box": "all"}, func([]string) {
		o.must("dev", "send_handoff", `{"to": "qa", "task": "One more", "parent": "none"}`)
	})
	want := numbered(1, 100, every)
	slices.Reverse(want)
	require.Equal(t, want, shown)
}

func TestNotices_AreReadOnce(t *testing.T) {
	o := newOffice(t)
	for i := range 30 {
		o.Pass(time.Minute)
		o.must("dev", "send_handoff", fmt.Sprintf(`{"to": "qa", "task": "News %d", "type": "message"}`, i))
	}
	require.EqualValues(t, "30", unreadCount(o.must("qa", "list_handoffs", `{}`)), "other boxes read nothing")
	first := o.must("qa", "list_handoffs", `{"box": "notices"}`)
	require.Len(t, commandtest.RowIDs(first), 10)
	require.EqualValues(t, "20", unreadCount(first), "what was listed is read")
	for _, item := range first["items"].([]any) {
		require.Equal(t, true, item.(map[string]any)["unread"])
	}
	again := o.must("qa", "list_handoffs", `{"box": "notices"}`)
	require.Equal(t, commandtest.RowIDs(first), commandtest.RowIDs(again), "they are kept")
	for _, item := range again["items"].([]any) {
		require.NotContains(t, item, "unread")
	}
	all := o.pages("qa", map[string]any{"box": "notices"}, nil)
	require.Len(t, all, 30)
	require.Equal(t, "no_30", all[0], "newest first")
	slices.Sort(all)
	require.Len(t, slices.Compact(all), 30)
	require.EqualValues(t, "0", unreadCount(o.must("qa", "list_handoffs", `{}`)))
	require.Empty(t, commandtest.RowIDs(o.must("dev", "list_handoffs", `{"box": "notices"}`)), "they are the reader's alone")
}

func TestNotices_FilteredStayUnread(t *testing.T) {
	o := newOffice(t)
	o.must("dev", "send_handoff", `{"to": "qa", "task": "The old build is red", "type": "message"}`)
	o.Pass(3 * time.Hour)
	o.must("dev", "send_handoff", `{"to": "qa", "task": "The new build is green", "type": "message"}`)
	require.Equal(t, []string{"no_2"}, commandtest.RowIDs(o.must("qa", "list_handoffs", `{"box": "notices", "since": "1h"}`)))
	require.Equal(t, []string{"no_2"}, commandtest.RowIDs(o.must("qa", "list_handoffs", `{"box": "notices", "query": "build green"}`)))
	require.Empty(t, commandtest.RowIDs(o.must("qa", "list_handoffs", `{"box": "notices", "type": "completed"}`)))
	require.EqualValues(t, "1", unreadCount(o.must("qa", "list_handoffs", `{}`)))
}

// Every result of an agent's call has the size of its mailbox, after the changes of the call.
func TestResults_CountInbox(t *testing.T) {
	o := newOffice(t)
	held := map[string]int{}
	counts := func(agent, tool, args string, pending, urgent, notices int) {
		t.Helper()
		var inbox schemas.InboxCounts // it omits zeros, except pending
		require.NoError(t, json.Unmarshal([]byte(commandtest.AsJSON(t, o.must(agent, tool, args)["inbox"])), &inbox))
		require.Equal(t, schemas.InboxCounts{Pending: pending, Urgent: urgent, Notices: notices, Held: held[agent]}, inbox, "%s %s", tool, args)
	}
	counts("qa", "register_agent", `{"name": "qa", "accepts": ["testing"]}`, 0, 0, 0)
	counts("dev", "register_agent", `{"name": "dev"}`, 0, 0, 0)
	counts("dev", "send_handoff", `{"to": "qa", "task": "A"}`, 0, 0, 0)
	counts("dev", "send_handoff", `{"to": "qa", "task": "B", "priority": "critical"}`, 0, 0, 0)
	counts("dev", "send_handoff", `{"to": "capability:testing", "task": "C", "priority": "high"}`, 0, 0, 0)
	counts("dev", "send_handoff", `{"to": "qa", "task": "D", "type": "message"}`, 0, 0, 0)
	counts("qa", "list_agents", `{}`, 3, 2, 1)
	held["qa"] = 1
	counts("qa", "claim_handoff", `{}`, 2, 1, 1)
	counts("qa", "get_handoff", `{"handoff_id": 1}`, 2, 1, 1)
	counts("qa", "update_handoff", `{"handoff_id": 2, "action": "ask", "questions": ["Why?"]}`, 2, 1, 1)
	counts("dev", "handoff_history", `{}`, 0, 0, 1)
	counts("dev", "update_handoff", `{"handoff_id": 2, "action": "answer", "note": "So."}`, 0, 0, 0)
	held["qa"] = 0
	counts("qa", "list_handoffs", `{}`, 3, 2, 2)
	held["qa"] = 1
	counts("qa", "claim_handoff", `{"handoff_id": 2}`, 2, 1, 1)
	held["qa"] = 0
	counts("qa", "complete_handoff", `{"handoff_id": 2, "summary": "Done", "continuation": {"to": "dev", "task": "E"}}`, 2, 1, 1)
	counts("dev", "list_handoffs", `{"box": "notices"}`, 1, 0, 0)
	counts("qa", "fail_handoff", `{"handoff_id": 1, "description": "No", "outcome": "rejected"}`, 1, 1, 1)
}
