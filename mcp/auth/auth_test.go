package auth_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
	"handoff/schemas"
	"handoff/tools"
)

func TestCaller_HasAgentOfToken(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("ci", 1, func(in *schemas.TokenAddIn) { in.Scope, in.Pending = schemas.ScopeRead, 7 })
	want := schemas.Caller{
		Via: schemas.ViaHTTP, Agent: "planner", Names: []schemas.Agent{"planner", "qa"},
		Scope: schemas.ScopeRead, Token: "ci", MaxPending: 7,
	}
	require.Equal(t, want, w.requireAccepted(remoteRequest(t, secret)))
	require.Equal(t, want, w.requireAccepted(localRequest(t, "authorization", "bEARER   "+secret)))
	want.Agent = "qa"
	require.Equal(t, want, w.requireAccepted(remoteRequest(t, secret, auth.AgentHeader, "qa")))
	require.Empty(t, w.denied)
}

func TestCaller_AcceptsSeveralTokensOfAgent(t *testing.T) {
	w := newWorld(t)
	one, two := w.addToken("one", 1), w.addToken("two", 2)
	require.Equal(t, "one", w.requireAccepted(remoteRequest(t, one)).Token)
	require.Equal(t, "two", w.requireAccepted(remoteRequest(t, two)).Token)
	var out schemas.TokenRevokeOut
	w.callTool("token_revoke", schemas.TokenRevokeIn{Name: "one"}, &out)
	w.requireRefused(remoteRequest(t, one), auth.Revoked, "token one was revoked")
	require.Equal(t, "two", w.requireAccepted(remoteRequest(t, two)).Token)
}

func TestCaller_RefusesExpiredToken(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("ci", 1, func(in *schemas.TokenAddIn) { in.Expires = w.space.Now().Add(time.Hour) })
	w.passTime(time.Hour - 1)
	w.requireAccepted(remoteRequest(t, secret))
	w.passTime(1)
	w.requireRefused(remoteRequest(t, secret), auth.Expired, "token ci expired at 2026-01-11T21:30:00Z")
}

func TestCaller_RefusesBadCredentials(t *testing.T) {
	w := newWorld(t)
	good := w.addToken("ci", 1)
	for _, c := range []struct {
		name    string
		headers []string
		reason  auth.RefusalReason
		message string
	}{
		{"nothing", nil, auth.NoToken, "a token is needed"},
		{"empty", []string{"Authorization", ""}, auth.Malformed, "not the word Bearer"},
		{"no token", []string{"Authorization", "Bearer"}, auth.Malformed, "not the word Bearer"},
		{"another scheme", []string{"Authorization", "Basic " + good}, auth.Malformed, "not the word Bearer"},
		{"no scheme", []string{"Authorization", good}, auth.Malformed, "not the word Bearer"},
		{"twice", []string{"Authorization", "Bearer " + good, "Authorization", "Bearer " + good}, auth.Malformed, "more than one header"},
		{"a slip", []string{"Authorization", "Bearer " + good + "x"}, auth.Malformed, "misspelt"},
		{"two words", []string{"Authorization", "Bearer " + good + " x"}, auth.Malformed, "misspelt"},
		{"no secret of ours", []string{"Authorization", "Bearer abc.def.ghi"}, auth.Malformed, "begins with hoff_"},
		{"a stranger's", []string{"Authorization", "Bearer " + secretOf(9)}, auth.Unknown, "nobody has this token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := w.requireRefused(localRequest(t, c.headers...), c.reason, c.message)
			require.Equal(t, schemas.Denied, e.Code)
			require.Contains(t, e.Hint, "handoff token add makes a token")
		})
	}
}

func TestCaller_IgnoresTokenInAddress(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("ci", 1)
	r := localRequest(t)
	r.URL.RawQuery = "access_token=" + secret
	w.requireRefused(r, auth.NoToken, "a token is needed")
}

func TestCaller_OnSameMachineNeedsNoTokenUntilFirstTokenExists(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, schemas.Caller{Via: schemas.ViaHTTP}, w.requireAccepted(localRequest(t)))
	require.Equal(t, schemas.Agent("anybody"), w.requireAccepted(localRequest(t, auth.AgentHeader, "anybody")).Agent)
	for _, reserved := range []string{"human", "system"} {
		e := w.requireRefused(localRequest(t, auth.AgentHeader, reserved), auth.Agent, "may not act as "+reserved)
		require.Equal(t, "Without a token it names any agent but human and system.", e.Hint)
	}
	w.requireRefused(remoteRequest(t, secretOf(9)), auth.Unknown, "nobody has this token")

	w.requireRefused(requestArrivingAt(t, outside), auth.NoToken, "a token is needed")
	w.requireRefused(localRequest(t, "X-Forwarded-For", "192.0.2.7"), auth.NoToken, "a token is needed")
	w.requireRefused(localRequest(t, "Forwarded", "for=192.0.2.7"), auth.NoToken, "a token is needed")
	w.requireRefused(localRequest(t, "Via", "1.1 proxy"), auth.NoToken, "a token is needed")
	w.requireRefused(localRequest(t, "X-Real-IP", "192.0.2.7"), auth.NoToken, "a token is needed")
	w.requireRefused(localRequest(t, "X-Forwarded-Proto", "https"), auth.NoToken, "a token is needed")

	w.addToken("ci", 1)
	var out schemas.TokenRevokeOut
	w.callTool("token_revoke", schemas.TokenRevokeIn{Name: "ci"}, &out)
	w.requireRefused(localRequest(t), auth.NoToken, "a token is needed")
}

func TestRecheck_FailsAfterTokenEnds(t *testing.T) {
	w := newWorld(t)
	nobody := localRequest(t)
	require.NoError(t, w.Recheck(nobody))
	secret := w.addToken("ci", 1, func(in *schemas.TokenAddIn) { in.Expires, in.Rate = w.space.Now().Add(time.Hour), 1 })
	require.Error(t, w.Recheck(nobody), "the first token closes the door")
	r := remoteRequest(t, secret)
	for range 100 {
		require.NoError(t, w.Recheck(r), "it counts for no limit")
	}
	w.passTime(time.Hour)
	require.ErrorContains(t, w.Recheck(r), "token ci expired")

	secret = w.addToken("ci-2", 2)
	r = remoteRequest(t, secret)
	require.NoError(t, w.Recheck(r))
	var out schemas.TokenRevokeOut
	w.callTool("token_revoke", schemas.TokenRevokeIn{Name: "ci-2"}, &out)
	require.ErrorContains(t, w.Recheck(r), "token ci-2 was revoked")
	require.Empty(t, w.denied, "it is no request")
}

func TestCaller_DoesNotShowSecretSentAsAgentName(t *testing.T) {
	w := newWorld(t)
	secret, other := w.addToken("ci", 1), secretOf(2)
	e := w.requireRefused(remoteRequest(t, secret, auth.AgentHeader, other), auth.Agent, "that is not an agent name")
	require.NotContains(t, e.Message+e.Hint, other)
	for c, err := range w.Mailbox.Changes(t.Context(), 0) {
		require.NoError(t, err)
		require.Equal(t, "token_added", c.Action)
		break
	}
	var newest schemas.NewestOut
	w.callTool("registry_newest", schemas.NewestIn{}, &newest)
	require.EqualValues(t, 1, newest.Event, "no denial is noted")
}

func TestCaller_ActsOnlyAsAgentsOfToken(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("ci", 1)
	e := w.requireRefused(remoteRequest(t, secret, auth.AgentHeader, "boss"), auth.Agent, "Handoff-Agent: this connection may not act as boss")
	require.Equal(t, schemas.Denied, e.Code)
	require.Equal(t, "Name planner or qa, or leave the header out.", e.Hint)
	w.requireRefused(remoteRequest(t, secret, auth.AgentHeader, "human"), auth.Agent, "may not act as human")
	w.requireRefused(remoteRequest(t, secret, auth.AgentHeader, ""), auth.Agent, "not an agent name")
	w.requireRefused(remoteRequest(t, secret, auth.AgentHeader, "a b"), auth.Agent, "not an agent name")
	w.requireRefused(remoteRequest(t, secret, auth.AgentHeader, "qa", auth.AgentHeader, "qa"), auth.Agent, "more than one header")

	who, err := w.Caller(remoteRequest(t, secret, auth.AgentHeader, "boss"))
	require.Error(t, err)
	require.Equal(t, "ci", who.Token, "the log names who asked")
}

func TestCaller_WithAdminScopeActsAsHuman(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("boss", 1, func(in *schemas.TokenAddIn) {
		in.Agents, in.Scope = []schemas.Agent{"planner", "human"}, schemas.ScopeAdmin
	})
	require.Equal(t, schemas.Agent("planner"), w.requireAccepted(remoteRequest(t, secret)).Agent)
	require.Equal(t, schemas.Human, w.requireAccepted(remoteRequest(t, secret, auth.AgentHeader, "human")).Agent)
}

func TestCaller_RecordsRefusedNameInRegistry(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("ci", 1)
	for range 3 {
		w.requireRefused(remoteRequest(t, secret, auth.AgentHeader, "boss"), auth.Agent, "may not act as boss")
	}
	for c, err := range w.Changes(t.Context(), 0) {
		require.NoError(t, err)
		if c.Action == "denied" {
			require.Equal(t, "ci", c.Token)
			return
		}
	}
}

func TestCaller_FailsWithoutStore(t *testing.T) {
	w := newWorld(t)
	w.space.Close()
	for _, r := range []*http.Request{localRequest(t), remoteRequest(t, secretOf(9))} {
		_, err := w.Caller(r)
		require.Equal(t, schemas.Unavailable, schemas.AsError(err).Code)
		_, unauthorized := auth.ChallengeHeader(err, "")
		require.False(t, unauthorized)
	}
	require.Empty(t, w.denied)
}

// A store that was removed, or replaced by an older one, has no tokens.
func TestCaller_FailsIfTokensVanishFromStore(t *testing.T) {
	var at struct{ tools.Invoker }
	w := newWorld(t, func(w *world, c *auth.Config) {
		at.Invoker = w.LocalInvoker
		c.Invoker = &at
	})
	w.requireAccepted(localRequest(t))
	secret := w.addToken("ci", 1)
	w.requireAccepted(remoteRequest(t, secret))
	at.Invoker = newWorld(t).LocalInvoker
	w.requireRefused(localRequest(t), auth.NoToken, "a token is needed")
	w.requireRefused(remoteRequest(t, secret), auth.Unknown, "nobody has this token")
}

func TestIssuer_IsReadOnceForConcurrentCallers(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	token := o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil))
	secret := w.addToken("ci", 1)
	var all sync.WaitGroup
	var in atomic.Int32
	for i := range 40 {
		all.Go(func() {
			if _, err := w.Caller(remoteRequest(t, []string{token, secret}[i%2])); err == nil {
				in.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 40, in.Load())
	require.Equal(t, 1, o.requestCount(o.at))
}

func TestRefusal_ContainsNoPartOfSecret(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, func(_ *world, c *auth.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	revoked, other := w.addToken("ci", 1), w.addToken("other", 2)
	var out schemas.TokenRevokeOut
	w.callTool("token_revoke", schemas.TokenRevokeIn{Name: "ci"}, &out)
	stranger := secretOf(3)
	for _, r := range []*http.Request{
		remoteRequest(t, revoked), remoteRequest(t, stranger), remoteRequest(t, stranger+"x"), remoteRequest(t, "x"+stranger),
		localRequest(t, "Authorization", "Basic "+stranger), remoteRequest(t, other, auth.AgentHeader, "boss"),
	} {
		_, err := w.Caller(r)
		told, _ := json.Marshal(schemas.AsError(err))
		value, _ := auth.ChallengeHeader(err, "")
		for _, secret := range []string{revoked, stranger, other} {
			for at := 5; at+8 <= len(secret); at++ {
				require.NotContains(t, string(told)+value+err.Error()+log.String(), secret[at:at+8])
			}
			require.NotContains(t, log.String(), auth.HashSecret(secret))
		}
	}
	require.Contains(t, log.String(), `"reason":"revoked","token":"ci"`)
	require.Contains(t, log.String(), `"reason":"agent","token":"other"`)
}

// Malformed secrets never reach the store; otherwise the stand-in would panic.
func TestCaller_RefusesMisspeltSecretWithoutStore(t *testing.T) {
	w := newWorld(t, func(_ *world, c *auth.Config) { c.Invoker = tools.Invoker(nil) })
	w.requireRefused(remoteRequest(t, secretOf(1)+"0"), auth.Malformed, "misspelt")
	w.requireRefused(remoteRequest(t, "hoff_"), auth.Malformed, "misspelt")
	require.Panics(t, func() { _, _ = w.Caller(remoteRequest(t, secretOf(1))) })
}
