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
	w := open(t)
	secret := w.add("ci", 1, func(in *schemas.TokenAddIn) { in.Scope, in.Pending = schemas.ScopeRead, 7 })
	want := schemas.Caller{
		Via: schemas.ViaHTTP, Agent: "planner", Names: []schemas.Agent{"planner", "qa"},
		Scope: schemas.ScopeRead, Token: "ci", MaxPending: 7,
	}
	require.Equal(t, want, w.welcome(bearer(t, secret)))
	require.Equal(t, want, w.welcome(request(t, "authorization", "bEARER   "+secret)))
	want.Agent = "qa"
	require.Equal(t, want, w.welcome(bearer(t, secret, auth.AgentHeader, "qa")))
	require.Empty(t, w.denied)
}

func TestCaller_AcceptsSeveralTokensOfAgent(t *testing.T) {
	w := open(t)
	one, two := w.add("one", 1), w.add("two", 2)
	require.Equal(t, "one", w.welcome(bearer(t, one)).Token)
	require.Equal(t, "two", w.welcome(bearer(t, two)).Token)
	var out schemas.TokenRevokeOut
	w.do("token_revoke", schemas.TokenRevokeIn{Name: "one"}, &out)
	w.refused(bearer(t, one), auth.Revoked, "token one was revoked")
	require.Equal(t, "two", w.welcome(bearer(t, two)).Token)
}

func TestCaller_RefusesExpiredToken(t *testing.T) {
	w := open(t)
	secret := w.add("ci", 1, func(in *schemas.TokenAddIn) { in.Expires = w.space.Now().Add(time.Hour) })
	w.pass(time.Hour - 1)
	w.welcome(bearer(t, secret))
	w.pass(1)
	w.refused(bearer(t, secret), auth.Expired, "token ci expired at 2026-01-11T21:30:00Z")
}

func TestCaller_RefusesBadCredentials(t *testing.T) {
	w := open(t)
	good := w.add("ci", 1)
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
			e := w.refused(request(t, c.headers...), c.reason, c.message)
			require.Equal(t, schemas.Denied, e.Code)
			require.Contains(t, e.Hint, "handoff token add makes a token")
		})
	}
}

func TestCaller_IgnoresTokenInAddress(t *testing.T) {
	w := open(t)
	secret := w.add("ci", 1)
	r := request(t)
	r.URL.RawQuery = "access_token=" + secret
	w.refused(r, auth.NoToken, "a token is needed")
}

func TestCaller_OnSameMachineNeedsNoTokenUntilFirstTokenExists(t *testing.T) {
	w := open(t)
	require.Equal(t, schemas.Caller{Via: schemas.ViaHTTP}, w.welcome(request(t)))
	require.Equal(t, schemas.Agent("anybody"), w.welcome(request(t, auth.AgentHeader, "anybody")).Agent)
	for _, reserved := range []string{"human", "system"} {
		e := w.refused(request(t, auth.AgentHeader, reserved), auth.Agent, "may not act as "+reserved)
		require.Equal(t, "Without a token it names any agent but human and system.", e.Hint)
	}
	w.refused(bearer(t, secretOf(9)), auth.Unknown, "nobody has this token")

	w.refused(arriving(t, outside), auth.NoToken, "a token is needed")
	w.refused(request(t, "X-Forwarded-For", "192.0.2.7"), auth.NoToken, "a token is needed")
	w.refused(request(t, "Forwarded", "for=192.0.2.7"), auth.NoToken, "a token is needed")
	w.refused(request(t, "Via", "1.1 proxy"), auth.NoToken, "a token is needed")
	w.refused(request(t, "X-Real-IP", "192.0.2.7"), auth.NoToken, "a token is needed")
	w.refused(request(t, "X-Forwarded-Proto", "https"), auth.NoToken, "a token is needed")

	w.add("ci", 1)
	var out schemas.TokenRevokeOut
	w.do("token_revoke", schemas.TokenRevokeIn{Name: "ci"}, &out)
	w.refused(request(t), auth.NoToken, "a token is needed")
}

func TestRecheck_FailsAfterTokenEnds(t *testing.T) {
	w := open(t)
	nobody := request(t)
	require.NoError(t, w.Recheck(nobody))
	secret := w.add("ci", 1, func(in *schemas.TokenAddIn) { in.Expires, in.Rate = w.space.Now().Add(time.Hour), 1 })
	require.Error(t, w.Recheck(nobody), "the first token closes the door")
	r := bearer(t, secret)
	for range 100 {
		require.NoError(t, w.Recheck(r), "it counts for no limit")
	}
	w.pass(time.Hour)
	require.ErrorContains(t, w.Recheck(r), "token ci expired")

	secret = w.add("ci-2", 2)
	r = bearer(t, secret)
	require.NoError(t, w.Recheck(r))
	var out schemas.TokenRevokeOut
	w.do("token_revoke", schemas.TokenRevokeIn{Name: "ci-2"}, &out)
	require.ErrorContains(t, w.Recheck(r), "token ci-2 was revoked")
	require.Empty(t, w.denied, "it is no request")
}

func TestCaller_DoesNotShowSecretSentAsAgentName(t *testing.T) {
	w := open(t)
	secret, other := w.add("ci", 1), secretOf(2)
	e := w.refused(bearer(t, secret, auth.AgentHeader, other), auth.Agent, "that is not an agent name")
	require.NotContains(t, e.Message+e.Hint, other)
	for c, err := range w.Mailbox.Changes(t.Context(), 0) {
		require.NoError(t, err)
		require.Equal(t, "token_added", c.Action)
		break
	}
	var newest schemas.NewestOut
	w.do("registry_newest", schemas.NewestIn{}, &newest)
	require.EqualValues(t, 1, newest.Event, "no denial is noted")
}

func TestCaller_ActsOnlyAsAgentsOfToken(t *testing.T) {
	w := open(t)
	secret := w.add("ci", 1)
	e := w.refused(bearer(t, secret, auth.AgentHeader, "boss"), auth.Agent, "Handoff-Agent: this connection may not act as boss")
	require.Equal(t, schemas.Denied, e.Code)
	require.Equal(t, "Name planner or qa, or leave the header out.", e.Hint)
	w.refused(bearer(t, secret, auth.AgentHeader, "human"), auth.Agent, "may not act as human")
	w.refused(bearer(t, secret, auth.AgentHeader, ""), auth.Agent, "not an agent name")
	w.refused(bearer(t, secret, auth.AgentHeader, "a b"), auth.Agent, "not an agent name")
	w.refused(bearer(t, secret, auth.AgentHeader, "qa", auth.AgentHeader, "qa"), auth.Agent, "more than one header")

	who, err := w.Caller(bearer(t, secret, auth.AgentHeader, "boss"))
	require.Error(t, err)
	require.Equal(t, "ci", who.Token, "the log names who asked")
}

func TestCaller_WithAdminScopeActsAsHuman(t *testing.T) {
	w := open(t)
	secret := w.add("boss", 1, func(in *schemas.TokenAddIn) {
		in.Agents, in.Scope = []schemas.Agent{"planner", "human"}, schemas.ScopeAdmin
	})
	require.Equal(t, schemas.Agent("planner"), w.welcome(bearer(t, secret)).Agent)
	require.Equal(t, schemas.Human, w.welcome(bearer(t, secret, auth.AgentHeader, "human")).Agent)
}

func TestCaller_RecordsRefusedNameInRegistry(t *testing.T) {
	w := open(t)
	secret := w.add("ci", 1)
	for range 3 {
		w.refused(bearer(t, secret, auth.AgentHeader, "boss"), auth.Agent, "may not act as boss")
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
	w := open(t)
	w.space.Close()
	for _, r := range []*http.Request{request(t), bearer(t, secretOf(9))} {
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
	w := open(t, func(w *world, c *auth.Config) {
		at.Invoker = w.LocalInvoker
		c.Invoker = &at
	})
	w.welcome(request(t))
	secret := w.add("ci", 1)
	w.welcome(bearer(t, secret))
	at.Invoker = open(t).LocalInvoker
	w.refused(request(t), auth.NoToken, "a token is needed")
	w.refused(bearer(t, secret), auth.Unknown, "nobody has this token")
}

func TestIssuer_IsReadOnceForConcurrentCallers(t *testing.T) {
	o := openOffice(t)
	w := openWith(t, o)
	token := o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil))
	secret := w.add("ci", 1)
	var all sync.WaitGroup
	var in atomic.Int32
	for i := range 40 {
		all.Go(func() {
			if _, err := w.Caller(bearer(t, []string{token, secret}[i%2])); err == nil {
				in.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 40, in.Load())
	require.Equal(t, 1, o.asks(o.at))
}

func TestRefusal_ContainsNoPartOfSecret(t *testing.T) {
	var log bytes.Buffer
	w := open(t, func(_ *world, c *auth.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	revoked, other := w.add("ci", 1), w.add("other", 2)
	var out schemas.TokenRevokeOut
	w.do("token_revoke", schemas.TokenRevokeIn{Name: "ci"}, &out)
	stranger := secretOf(3)
	for _, r := range []*http.Request{
		bearer(t, revoked), bearer(t, stranger), bearer(t, stranger+"x"), bearer(t, "x"+stranger),
		request(t, "Authorization", "Basic "+stranger), bearer(t, other, auth.AgentHeader, "boss"),
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
	w := open(t, func(_ *world, c *auth.Config) { c.Invoker = tools.Invoker(nil) })
	w.refused(bearer(t, secretOf(1)+"0"), auth.Malformed, "misspelt")
	w.refused(bearer(t, "hoff_"), auth.Malformed, "misspelt")
	require.Panics(t, func() { _, _ = w.Caller(bearer(t, secretOf(1))) })
}
