//go:build unix

package network_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// tool calls a tool and gives the status of the response and the answer, if there is one.
func (b *bare) tool(tool string, args said) (int, answer) {
	b.v.t.Helper()
	resp, err := b.post(b.v.ctx, b.call(1, tool, args))
	require.NoError(b.v.t, err)
	a, err := answered(read(b.v.t, resp, resp.StatusCode))
	require.NoError(b.v.t, err)
	return resp.StatusCode, a
}

// refused returns the error of a refused call.
func (a answer) refused(t *testing.T) (e schemas.Error) {
	t.Helper()
	require.NotNil(t, a.Result)
	require.True(t, a.Result.IsError, "it was not refused")
	require.NoError(t, json.Unmarshal([]byte(a.Result.Content[0].Text), &e))
	return e
}

func TestTokens_ChangeWhileServing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.serve()
	stranger := v.bare("", newer)
	status, _ := stranger.tool("list_agents", nil)
	require.Equal(t, http.StatusOK, status, "without any token this machine is served")

	first := v.bare(s.token("first", "ann"), newer)
	status, _ = stranger.tool("list_agents", nil)
	require.Equal(t, http.StatusUnauthorized, status, "with one nobody is served without")
	second := v.bare(s.token("second", "ann"), newer)
	for _, b := range []*bare{first, second} {
		status, _ = b.tool("send_handoff", said{"to": "ben", "task": "x"})
		require.Equal(t, http.StatusOK, status, "two tokens of one agent are good at a time")
	}
	session := v.bare(first.secret, older)
	s.must("token", "revoke", "first")
	for _, b := range []*bare{first, session} {
		status, _ = b.tool("list_agents", nil)
		require.Equal(t, http.StatusUnauthorized, status, "it was revoked")
	}
	status, _ = second.tool("list_agents", nil)
	require.Equal(t, http.StatusOK, status, "the other was not")

	brief := v.bare(s.token("brief", "ann", "--expires", "2s"), newer)
	status, _ = brief.tool("list_agents", nil)
	require.Equal(t, http.StatusOK, status)
	require.Eventually(t, func() bool {
		status, _ := brief.tool("list_agents", nil)
		return status == http.StatusUnauthorized
	}, 10*time.Second, 50*time.Millisecond, "it does not expire")
	s.must("token", "revoke", "second")
	status, _ = stranger.tool("list_agents", nil)
	require.Equal(t, http.StatusUnauthorized, status, "that no token is good any more opens nothing")
}

// A token of scope read changes nothing and marks nothing as read.
func TestTokens_ScopeReadChangesNothing(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	s := newSite(t, "XDG_CONFIG_HOME="+config)
	require.NoError(t, os.Mkdir(filepath.Join(config, "handoff"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "handoff", "approvals"), []byte("w\n"), 0o600)) // for boss
	ann, look := s.token("ann", "ann"), s.token("look", "ann,ben", "--scope", "read")
	boss := s.token("boss", "ann,human", "--scope", "admin")
	v := s.serve()
	owner := v.mustJoin(ann, "", older)
	for _, era := range eras {
		reader := v.bare(look, era)
		for tool, args := range map[string]said{
			"send_handoff": {"to": "ben", "task": "x"}, "claim_handoff": {}, "register_agent": {"name": "ann"},
			"complete_handoff": {"handoff_id": "1", "summary": "x"}, "update_handoff": {"handoff_id": "1", "action": "cancel"},
			"fail_handoff": {"handoff_id": "1", "description": "x"},
		} {
			_, a := reader.tool(tool, args)
			require.Equal(t, schemas.Denied, a.refused(t).Code, tool)
		}
		_, err := owner.send(s.ctx, schemas.SendIn{To: "ann", Type: "message", Task: "remember"})
		require.NoError(t, err)
		notices := said{"box": "notices"}
		for range 2 {
			_, a := reader.tool("list_handoffs", notices)
			require.Contains(t, a.Result.Content[0].Text, "remember")
		}
		require.Equal(t, 1, unread(t, v.bare(ann, era)), "a reader is not taken to have read")
		_, a := v.bare(ann, era).tool("list_handoffs", notices)
		require.Contains(t, a.Result.Content[0].Text, "remember")
		require.Zero(t, unread(t, v.bare(ann, era)))
	}
	_, a := v.bare(ann, newer).tool("send_handoff", said{"agent": "human", "to": "ben", "task": "x"})
	require.Equal(t, schemas.Denied, a.refused(t).Code)
	_, a = v.bare(boss, newer).tool("send_handoff", said{"agent": "human", "to": "ben", "task": "x"})
	require.False(t, a.Result.IsError, "%+v", a.Result)
}

// unread is how many notices an agent has that it did not read.
func unread(t *testing.T, b *bare) int {
	t.Helper()
	_, a := b.tool("list_agents", said{})
	var out struct{ Agents []schemas.Card }
	require.NoError(t, json.Unmarshal([]byte(a.Result.Content[0].Text), &out))
	for _, card := range out.Agents {
		if card.Name == "ann" {
			return card.Notices
		}
	}
	t.Fatal("ann is not known")
	return 0
}

func TestTokens_KeepLimits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.serve()
	hasty := v.bare(s.token("hasty", "ann", "--rate", "1"), newer)
	steady := v.bare(s.token("steady", "ann"), newer)
	var limited answer
	require.Eventually(t, func() bool {
		status, a := hasty.tool("list_agents", nil)
		require.Equal(t, http.StatusOK, status, "a model is told in the result of its call")
		limited = a
		return a.Result.IsError
	}, patience, time.Microsecond, "it is never too much")
	e := limited.refused(t)
	require.Equal(t, schemas.Limit, e.Code)
	require.Equal(t, 1, e.RetryAfter)
	resp, err := hasty.post(s.ctx, hasty.message(1, "tools/list", nil))
	require.NoError(t, err)
	read(t, resp, http.StatusTooManyRequests)
	after, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.Equal(t, 1, after)
	_, a := steady.tool("list_agents", nil)
	require.False(t, a.Result.IsError, "another token has its own limit")
	require.Eventually(t, func() bool {
		_, a := hasty.tool("list_agents", nil)
		return !a.Result.IsError
	}, 10*time.Second, 100*time.Millisecond, "it was told to try again")

	modest := v.bare(s.token("modest", "ann", "--pending", "3"), newer)
	mail := said{"to": "ben", "task": "x", "parent": "none"}
	for range 3 {
		_, a = modest.tool("send_handoff", mail)
		require.False(t, a.Result.IsError, "%+v", a.Result)
	}
	_, a = modest.tool("send_handoff", mail)
	e = a.refused(t)
	require.Equal(t, schemas.Limit, e.Code)
	require.Positive(t, e.RetryAfter)
	_, a = steady.tool("send_handoff", mail)
	require.False(t, a.Result.IsError, "another token of the agent has its own limit")
	_, a = steady.tool("claim_handoff", said{"agent": "ann"})
	require.False(t, a.Result.IsError)
	s.must("claim", "--agent", "ben")
	_, a = modest.tool("send_handoff", mail)
	require.False(t, a.Result.IsError, "one was claimed, so there is room")
}

// TestServers_ShareWorkspace has two servers on one workspace. The one that owns it is killed, and the other goes
// on with the same tokens.
func TestServers_ShareWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	secret, revoked := s.token("ann", "ann"), s.token("old", "ann")
	owner, guest := s.serve(), s.serve()
	require.Equal(t, owner.pid, s.owner())
	for _, v := range []*server{owner, guest} {
		for _, era := range eras {
			require.NoError(t, v.mustJoin(secret, "", era).cycle(s.ctx, "ann"))
		}
	}
	staying, old := guest.mustJoin(secret, "", older), guest.bare(revoked, newer)
	s.must("token", "revoke", "old")
	status, _ := old.tool("list_agents", nil)
	require.Equal(t, http.StatusUnauthorized, status, "it was revoked where the guest is not the owner")

	waiting := make(chan error, 1)
	go func() {
		_, err := staying.claim(s.ctx, schemas.ClaimIn{WaitSeconds: 50})
		waiting <- err
	}()
	require.NoError(t, owner.cmd.Process.Kill())
	require.Equal(t, -1, owner.code())
	_, err := guest.mustJoin(secret, "", newer).send(s.ctx, schemas.SendIn{To: "ann", Task: "go on", Parent: "none"})
	require.NoError(t, err)
	require.NoError(t, <-waiting, "a wait outlives the owner of the store")
	require.Equal(t, guest.pid, s.owner())
	status, _ = old.tool("list_agents", nil)
	require.Equal(t, http.StatusUnauthorized, status)
	status, _ = guest.bare("", newer).tool("list_agents", nil)
	require.Equal(t, http.StatusUnauthorized, status)
	again := s.serve()
	require.NoError(t, again.mustJoin(secret, "", newer).cycle(s.ctx, "ann"))
	status, _ = again.bare(revoked, newer).tool("list_agents", nil)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Less(t, guest.stop(), 2*time.Second)
	require.NoError(t, again.mustJoin(secret, "", older).cycle(s.ctx, "ann"))
	s.verify()
}
