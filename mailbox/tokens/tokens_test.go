package tokens_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// desk is a process of the user that owns the store.
var desk = schemas.Caller{Agent: "dev", Via: schemas.ViaCLI}

func testHash(n int) string { return fmt.Sprintf("%064x", n) }

// world is a workspace with calls about tokens.
type world struct{ *mailboxtest.World }

func newWorld(t testing.TB, changes ...func(*mailbox.Config)) world {
	return world{mailboxtest.New(t, changes...)}
}

func (w world) addToken(in schemas.TokenAddIn) (schemas.TokenAddOut, error) {
	return w.AddToken(context.Background(), desk, in)
}

func (w world) revokeToken(name string) (schemas.TokenRevokeOut, error) {
	return w.RevokeToken(context.Background(), desk, schemas.TokenRevokeIn{Name: name})
}

func (w world) findToken(hash string) schemas.TokenFindOut {
	w.T.Helper()
	return mailboxtest.Must(w.T, w.FindToken, desk, schemas.TokenFindIn{Hash: hash})
}

func (w world) listTokens() []schemas.Token {
	w.T.Helper()
	return mailboxtest.Must(w.T, w.ListTokens, desk, schemas.TokenListIn{}).Tokens
}

// tokenEvents returns the events of the registry that concern no handoff. The second result has the content of each
// event.
func (w world) tokenEvents() (all []schemas.Event, said []string) {
	w.T.Helper()
	for _, e := range w.Events() {
		if e.Handoff != 0 {
			continue
		}
		text, err := store.ReadSnapshot(context.Background(), w.Store, func(v *store.View) ([]byte, error) { return v.RawContent(0, e.N) })
		require.NoError(w.T, err)
		all, said = append(all, e), append(said, string(text))
	}
	return all, said
}

func TestTokens_AreAddedFoundAndRevoked(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.listTokens())
	require.Equal(t, schemas.TokenFindOut{}, w.findToken(""))
	require.Equal(t, schemas.TokenFindOut{}, w.findToken(testHash(1)))

	ends := w.Now().Add(time.Hour)
	out, err := w.addToken(schemas.TokenAddIn{
		Name: "ci", Hash: strings.ToUpper(testHash(0xabc)), Agents: []schemas.Agent{"qa", "dev"}, Expires: ends, Rate: 2.5, Pending: 9,
	})
	require.NoError(t, err)
	want := schemas.Token{
		Name: "ci", Agents: []schemas.Agent{"qa", "dev"}, Scope: schemas.ScopeAgent, Created: w.Now(), Expires: &ends, Rate: 2.5, Pending: 9,
	}
	require.Equal(t, want, out.Token)
	require.Equal(t, schemas.TokenFindOut{Token: &want, Needed: true}, w.findToken(testHash(0xabc)))
	require.Equal(t, schemas.TokenFindOut{Needed: true}, w.findToken(testHash(1)))
	require.Equal(t, schemas.TokenFindOut{Needed: true}, w.findToken(""))

	w.Pass(2 * time.Hour)
	require.Equal(t, &want, w.findToken(testHash(0xabc)).Token, "whoever asks judges the time")
	revoked := w.Now()
	want.Revoked = &revoked
	first, err := w.revokeToken("ci")
	require.NoError(t, err)
	require.Equal(t, want, first.Token)
	w.Pass(time.Hour)
	second, err := w.revokeToken("ci")
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Equal(t, []schemas.Token{want}, w.listTokens())
	require.Equal(t, schemas.TokenFindOut{Token: &want, Needed: true}, w.findToken(testHash(0xabc)))
}

func TestTokens_EventsContainNoHashes(t *testing.T) {
	w := newWorld(t)
	_, err := w.addToken(schemas.TokenAddIn{Name: "ci", Hash: testHash(7), Agents: []schemas.Agent{"qa"}})
	require.NoError(t, err)
	for range 2 {
		_, err = w.revokeToken("ci")
		require.NoError(t, err)
	}
	events, said := w.tokenEvents()
	require.Len(t, events, 2)
	for i, action := range []string{"token_added", "token_revoked"} {
		require.Equal(t, action, events[i].Action)
		require.Equal(t, schemas.Agent("dev"), events[i].Agent)
		require.Contains(t, said[i], `"name":"ci"`)
		require.Contains(t, said[i], `"agents":["qa"]`)
		require.NotContains(t, said[i], testHash(7))
	}
}

func TestAddToken_RefusesInvalidInput(t *testing.T) {
	w := newWorld(t)
	_, err := w.addToken(schemas.TokenAddIn{Name: "ci", Hash: testHash(1), Agents: []schemas.Agent{"qa"}})
	require.NoError(t, err)
	_, err = w.addToken(schemas.TokenAddIn{Name: "old", Hash: testHash(2), Agents: []schemas.Agent{"qa"}})
	require.NoError(t, err)
	_, err = w.revokeToken("old")
	require.NoError(t, err)
	before := w.listTokens()

	for name, tt := range map[string]struct {
		spoil       func(*schemas.TokenAddIn)
		code        schemas.Code
		field, says string
	}{
		"a name that is none":      {func(in *schemas.TokenAddIn) { in.Name = "a b" }, schemas.Invalid, "name", "is not a name"},
		"the name of another":      {func(in *schemas.TokenAddIn) { in.Name = "ci" }, schemas.Conflict, "name", "such as ci-2"},
		"a name that was revoked":  {func(in *schemas.TokenAddIn) { in.Name = "old" }, schemas.Conflict, "name", "which is revoked"},
		"the secret of another":    {func(in *schemas.TokenAddIn) { in.Hash = testHash(1) }, schemas.Conflict, "hash", "token ci has the same secret"},
		"a secret that is revoked": {func(in *schemas.TokenAddIn) { in.Hash = testHash(2) }, schemas.Conflict, "hash", "token old has the same secret"},
		"a short hash":             {func(in *schemas.TokenAddIn) { in.Hash = testHash(9)[2:] }, schemas.Invalid, "hash", "SHA-256"},
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
			in := schemas.TokenAddIn{Name: "new", Hash: testHash(3), Agents: []schemas.Agent{"qa"}}
			tt.spoil(&in)
			out, err := w.addToken(in)
			require.Equal(t, tt.field, mailboxtest.RequireError(t, err, tt.code, tt.says).Field)
			require.NotContains(t, err.Error(), in.Hash)
			require.Zero(t, out)
			require.Equal(t, before, w.listTokens())
		})
	}
	_, err = w.revokeToken("new")
	mailboxtest.RequireError(t, err, schemas.NotFound, "token_list {}")
	events, _ := w.tokenEvents()
	require.Len(t, events, 3)
}

func TestAddToken_NeedsPersonForHuman(t *testing.T) {
	w := newWorld(t)
	in := schemas.TokenAddIn{Name: "boss", Hash: testHash(1), Agents: []schemas.Agent{"human"}, Scope: schemas.ScopeAdmin}
	_, err := w.addToken(in)
	require.Equal(t, schemas.PersonField, schemas.AsError(err).Field, "whoever has a shell may call itself dev")
	out := mailboxtest.Must(t, w.AddToken, schemas.Caller{Agent: "dev", Via: schemas.ViaCLI, Proof: "terminal"}, in)
	require.Equal(t, schemas.ScopeAdmin, out.Token.Scope)
}

func TestRevokeToken_KeepsOtherTokensOfAgent(t *testing.T) {
	w := newWorld(t)
	for i, name := range []string{"a", "b", "c"} {
		_, err := w.addToken(schemas.TokenAddIn{Name: name, Hash: testHash(i), Agents: []schemas.Agent{"qa"}})
		require.NoError(t, err)
	}
	_, err := w.revokeToken("b")
	require.NoError(t, err)
	require.Nil(t, w.findToken(testHash(0)).Token.Revoked)
	require.NotNil(t, w.findToken(testHash(1)).Token.Revoked)
	require.Nil(t, w.findToken(testHash(2)).Token.Revoked)
}

// A repeated call gets the first answer, as after a lost response.
func TestAddToken_RepeatWithRequestIDAddsNothing(t *testing.T) {
	w := newWorld(t)
	by, in := desk, schemas.TokenAddIn{Name: "ci", Hash: testHash(1), Agents: []schemas.Agent{"qa"}}
	by.Request = "0000019ca8f3e800"
	first := mailboxtest.Must(t, w.AddToken, by, in)
	w.Pass(time.Minute)
	again := mailboxtest.Must(t, w.AddToken, by, in)
	require.Equal(t, first, again)
}

func TestTokens_RefuseCallersOverHTTP(t *testing.T) {
	w := newWorld(t)
	by := mailboxtest.RemoteCaller("human", "1")
	by.Scope, by.Names, by.Token = schemas.ScopeAdmin, []schemas.Agent{"human"}, "boss"
	const why = "not for callers over HTTP"
	add := schemas.TokenAddIn{Name: "ci", Hash: testHash(1), Agents: []schemas.Agent{"qa"}}
	mailboxtest.RequireRefusal(t, w.AddToken, by, add, schemas.Denied, why)
	mailboxtest.RequireRefusal(t, w.RevokeToken, by, schemas.TokenRevokeIn{Name: "ci"}, schemas.Denied, why)
	mailboxtest.RequireRefusal(t, w.ListTokens, by, schemas.TokenListIn{}, schemas.Denied, why)
	mailboxtest.RequireRefusal(t, w.FindToken, by, schemas.TokenFindIn{}, schemas.Denied, why)
	require.Empty(t, w.listTokens())
}

// Every request looks up a token, so the lookup writes nothing, even if changes of time are due.
func TestFindToken_WritesNothing(t *testing.T) {
	w := newWorld(t)
	w.Sends(w.Stdio("a"), "b", "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	w.Pass(time.Hour)
	head := func() int { return len(w.Events()) }
	before := head()
	w.findToken(testHash(1))
	w.listTokens()
	require.Equal(t, before, head())
	require.Equal(t, schemas.TimedOut, w.Status(1))
	require.Greater(t, head(), before)
}
