package mailbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// desk is a process of the user who owns the store.
var desk = schemas.Caller{Agent: "dev", Via: schemas.ViaCLI}

func hashOf(n int) string { return fmt.Sprintf("%064x", n) }

func (w *world) addToken(in schemas.TokenAddIn) (schemas.TokenAddOut, error) {
	return w.AddToken(context.Background(), desk, in)
}

func (w *world) revoke(name string) (schemas.TokenRevokeOut, error) {
	return w.RevokeToken(context.Background(), desk, schemas.TokenRevokeIn{Name: name})
}

func (w *world) findToken(hash string) schemas.TokenFindOut {
	w.t.Helper()
	return mailboxtest.Must(w.t, w.FindToken, desk, schemas.TokenFindIn{Hash: hash})
}

func (w *world) tokens() []schemas.Token {
	w.t.Helper()
	return mailboxtest.Must(w.t, w.ListTokens, desk, schemas.TokenListIn{}).Tokens
}

// events are those of the registry that are about no handoff, each with what was said with it.
func (w *world) events() (all []schemas.Event, said []string) {
	w.t.Helper()
	require.NoError(w.t, w.Store.View(context.Background(), func(v *store.View) error {
		n, err := v.Events()
		require.NoError(w.t, err)
		for i := uint64(1); i <= n; i++ {
			e, err := v.Event(i)
			require.NoError(w.t, err)
			if e.Handoff == 0 {
				text, err := v.Said(0, i)
				require.NoError(w.t, err)
				all, said = append(all, *e), append(said, string(text))
			}
		}
		return nil
	}))
	return all, said
}

func TestATokenIsAddedFoundAndRevoked(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.tokens())
	require.Equal(t, schemas.TokenFindOut{}, w.findToken(""))
	require.Equal(t, schemas.TokenFindOut{}, w.findToken(hashOf(1)))

	ends := w.Now().Add(time.Hour)
	out, err := w.addToken(schemas.TokenAddIn{
		Name: "ci", Hash: strings.ToUpper(hashOf(0xabc)), Agents: []schemas.Agent{"qa", "dev"}, Expires: ends, Rate: 2.5, Pending: 9,
	})
	require.NoError(t, err)
	want := schemas.Token{
		Name: "ci", Agents: []schemas.Agent{"qa", "dev"}, Scope: schemas.ScopeAgent, Created: w.Now(), Expires: &ends, Rate: 2.5, Pending: 9,
	}
	require.Equal(t, want, out.Token)
	require.Equal(t, schemas.TokenFindOut{Token: &want, Needed: true}, w.findToken(hashOf(0xabc)))
	require.Equal(t, schemas.TokenFindOut{Needed: true}, w.findToken(hashOf(1)))
	require.Equal(t, schemas.TokenFindOut{Needed: true}, w.findToken(""))

	w.Pass(2 * time.Hour)
	require.Equal(t, &want, w.findToken(hashOf(0xabc)).Token, "whoever asks judges the time")
	revoked := w.Now()
	want.Revoked = &revoked
	first, err := w.revoke("ci")
	require.NoError(t, err)
	require.Equal(t, want, first.Token)
	w.Pass(time.Hour)
	second, err := w.revoke("ci")
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Equal(t, []schemas.Token{want}, w.tokens())
	require.Equal(t, schemas.TokenFindOut{Token: &want, Needed: true}, w.findToken(hashOf(0xabc)))
}

func TestTokensAreInTheRegistryWithoutTheirHashes(t *testing.T) {
	w := newWorld(t)
	_, err := w.addToken(schemas.TokenAddIn{Name: "ci", Hash: hashOf(7), Agents: []schemas.Agent{"qa"}})
	require.NoError(t, err)
	for range 2 {
		_, err = w.revoke("ci")
		require.NoError(t, err)
	}
	events, said := w.events()
	require.Len(t, events, 2)
	for i, action := range []string{"token_added", "token_revoked"} {
		require.Equal(t, action, events[i].Action)
		require.Equal(t, schemas.Agent("dev"), events[i].Agent)
		require.Contains(t, said[i], `"name":"ci"`)
		require.Contains(t, said[i], `"agents":["qa"]`)
		require.NotContains(t, said[i], hashOf(7))
	}
}

func TestTokensThatCannotBeAddedAreRefused(t *testing.T) {
	w := newWorld(t)
	_, err := w.addToken(schemas.TokenAddIn{Name: "ci", Hash: hashOf(1), Agents: []schemas.Agent{"qa"}})
	require.NoError(t, err)
	_, err = w.addToken(schemas.TokenAddIn{Name: "old", Hash: hashOf(2), Agents: []schemas.Agent{"qa"}})
	require.NoError(t, err)
	_, err = w.revoke("old")
	require.NoError(t, err)
	before := w.tokens()

	for name, tt := range map[string]struct {
		spoil       func(*schemas.TokenAddIn)
		code        schemas.Code
		field, says string
	}{
		"a name that is none":      {func(in *schemas.TokenAddIn) { in.Name = "a b" }, schemas.Invalid, "name", "is not a name"},
		"the name of another":      {func(in *schemas.TokenAddIn) { in.Name = "ci" }, schemas.Conflict, "name", "such as ci-2"},
		"a name that was revoked":  {func(in *schemas.TokenAddIn) { in.Name = "old" }, schemas.Conflict, "name", "which is revoked"},
		"the secret of another":    {func(in *schemas.TokenAddIn) { in.Hash = hashOf(1) }, schemas.Conflict, "hash", "token ci has the same secret"},
		"a secret that is revoked": {func(in *schemas.TokenAddIn) { in.Hash = hashOf(2) }, schemas.Conflict, "hash", "token old has the same secret"},
		"a short hash":             {func(in *schemas.TokenAddIn) { in.Hash = hashOf(9)[2:] }, schemas.Invalid, "hash", "SHA-256"},
		"no hexadecimal":           {func(in *schemas.TokenAddIn) { in.Hash = strings.Repeat("x", 64) }, schemas.Invalid, "hash", "SHA-256"},
		"no agents":                {func(in *schemas.TokenAddIn) { in.Agents = nil }, schemas.Invalid, "agents", "is needed"},
		"no agent":                 {func(in *schemas.TokenAddIn) { in.Agents = []schemas.Agent{"qa", "role:x"} }, schemas.Invalid, "agents[1]", "agent name"},
		"an agent twice":           {func(in *schemas.TokenAddIn) { in.Agents = []schemas.Agent{"qa", "b", "qa"} }, schemas.Invalid, "agents[2]", "twice"},
		"human":                    {func(in *schemas.TokenAddIn) { in.Agents = []schemas.Agent{"human"} }, schemas.Denied, "agents[0]", "scope admin"},
		"human who reads": {
			func(in *schemas.TokenAddIn) { in.Agents, in.Scope = []schemas.Agent{"human"}, schemas.ScopeRead },
			schemas.Denied, "agents[0]", "scope read",
		},
		"system": {
			func(in *schemas.TokenAddIn) { in.Agents, in.Scope = []schemas.Agent{"system"}, schemas.ScopeAdmin },
			schemas.Denied, "agents[0]", "nobody may",
		},
		"a time that is over": {func(in *schemas.TokenAddIn) { in.Expires = w.Now() }, schemas.Invalid, "expires", "in the past"},
	} {
		t.Run(name, func(t *testing.T) {
			in := schemas.TokenAddIn{Name: "new", Hash: hashOf(3), Agents: []schemas.Agent{"qa"}}
			tt.spoil(&in)
			out, err := w.addToken(in)
			require.Equal(t, tt.field, refused(t, err, tt.code, tt.says).Field)
			require.NotContains(t, err.Error(), in.Hash)
			require.Zero(t, out)
			require.Equal(t, before, w.tokens())
		})
	}
	_, err = w.revoke("new")
	refused(t, err, schemas.NotFound, "token_list {}")
	events, _ := w.events()
	require.Len(t, events, 3)
}

func TestHumanNeedsScopeAdmin(t *testing.T) {
	w := newWorld(t)
	in := schemas.TokenAddIn{Name: "boss", Hash: hashOf(1), Agents: []schemas.Agent{"human"}, Scope: schemas.ScopeAdmin}
	_, err := w.addToken(in)
	require.Equal(t, schemas.ByPerson, schemas.AsError(err).Field, "whoever has a shell may call itself dev")
	out := mailboxtest.Must(t, w.AddToken, schemas.Caller{Agent: "dev", Via: schemas.ViaCLI, Proof: "terminal"}, in)
	require.Equal(t, schemas.ScopeAdmin, out.Token.Scope)
}

func TestOneAgentHasSeveralTokens(t *testing.T) {
	w := newWorld(t)
	for i, name := range []string{"a", "b", "c"} {
		_, err := w.addToken(schemas.TokenAddIn{Name: name, Hash: hashOf(i), Agents: []schemas.Agent{"qa"}})
		require.NoError(t, err)
	}
	_, err := w.revoke("b")
	require.NoError(t, err)
	require.Nil(t, w.findToken(hashOf(0)).Token.Revoked)
	require.NotNil(t, w.findToken(hashOf(1)).Token.Revoked)
	require.Nil(t, w.findToken(hashOf(2)).Token.Revoked)
}

// A call that is made again, because its answer was lost, is answered as the first time.
func TestAddingAgainUnderOneRequestAddsOnce(t *testing.T) {
	w := newWorld(t)
	by, in := desk, schemas.TokenAddIn{Name: "ci", Hash: hashOf(1), Agents: []schemas.Agent{"qa"}}
	by.Request = "0000019ca8f3e800"
	first := mailboxtest.Must(t, w.AddToken, by, in)
	w.Pass(time.Minute)
	again := mailboxtest.Must(t, w.AddToken, by, in)
	require.Equal(t, first, again)
}

func TestTokensAreNotForCallersOverHTTP(t *testing.T) {
	w := newWorld(t)
	by := remote("human", "1")
	by.Scope, by.Names, by.Token = schemas.ScopeAdmin, []schemas.Agent{"human"}, "boss"
	ctx := context.Background()
	_, err := w.AddToken(ctx, by, schemas.TokenAddIn{Name: "ci", Hash: hashOf(1), Agents: []schemas.Agent{"qa"}})
	refused(t, err, schemas.Denied, "not for callers over HTTP")
	_, err = w.RevokeToken(ctx, by, schemas.TokenRevokeIn{Name: "ci"})
	refused(t, err, schemas.Denied, "not for callers over HTTP")
	_, err = w.ListTokens(ctx, by, schemas.TokenListIn{})
	refused(t, err, schemas.Denied, "not for callers over HTTP")
	_, err = w.FindToken(ctx, by, schemas.TokenFindIn{})
	refused(t, err, schemas.Denied, "not for callers over HTTP")
	require.Empty(t, w.tokens())
}

// Looking for a token is part of every request: it writes nothing, also where time has changed something.
func TestFindingATokenWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.Sends(w.Stdio("a"), "b", "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	w.Pass(time.Hour)
	head := func() (n uint64) {
		require.NoError(t, w.Store.View(context.Background(), func(v *store.View) (err error) {
			n, err = v.Events()
			return err
		}))
		return n
	}
	before := head()
	w.findToken(hashOf(1))
	w.tokens()
	require.Equal(t, before, head())
	require.Equal(t, schemas.TimedOut, w.Status(1))
	require.Greater(t, head(), before)
}

func TestEventsSayWhichTokenAndTrace(t *testing.T) {
	w := newWorld(t)
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	by := remote("a", "1")
	by.Token, by.Trace = "ci", trace
	w.Sends(by, "b", "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	w.Sends(by, "b", "y", mailboxtest.Message)
	w.Pass(time.Hour)
	out := mailboxtest.Must(t, w.Get, person, schemas.GetIn{HandoffID: "1", View: "audit"})
	require.NotEmpty(t, out.Audit[1:])
	for _, e := range out.Audit {
		if e.Action == "sent" {
			require.Equal(t, []string{"ci", trace}, []string{e.Token, e.Trace})
			continue
		}
		require.Equal(t, schemas.ViaClock, e.Via)
		require.Empty(t, e.Token+e.Trace)
	}
	events, _ := w.events()
	require.Equal(t, []string{"ci", trace}, []string{events[0].Token, events[0].Trace})
}
