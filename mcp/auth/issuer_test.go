package auth_test

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
	"handoff/schemas"
)

func TestIssuer_NamesCaller(t *testing.T) {
	for _, alg := range []jose.SignatureAlgorithm{jose.RS256, jose.PS512, jose.ES256} {
		t.Run(string(alg), func(t *testing.T) {
			o := startTestIssuer(t)
			w := newWorldWithIssuer(t, o)
			token := o.sign(o.publish("1", alg), "at+jwt", o.claims(nil))
			want := schemas.Caller{
				Via: schemas.ViaHTTP, Agent: "planner", Names: []schemas.Agent{"planner", "qa"},
				Scope: schemas.ScopeAgent, Token: "jwt:user-1",
			}
			require.Equal(t, want, w.requireAccepted(remoteRequest(t, token)))
			want.Agent = "qa"
			require.Equal(t, want, w.requireAccepted(remoteRequest(t, token, auth.AgentHeader, "qa")))
			w.requireRefused(remoteRequest(t, token, auth.AgentHeader, "boss"), auth.Agent, "may not act as boss")
			require.Equal(t, 1, o.requestCount("/keys"), "keys are kept")
		})
	}
}

func TestIssuer_ChecksClaims(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	k := o.publish("1", jose.ES256)
	now := w.space.Now().Unix()
	type claims = map[string]any
	for _, c := range []struct {
		name, typ string
		claims    claims
		message   string // empty: the token is accepted
	}{
		{name: "no type"},
		{name: "usual type", typ: "JWT"},
		{name: "long type", typ: "application/at+jwt"},
		{name: "another type", typ: "logout+jwt", message: "not an access token"},
		{name: "one audience", claims: claims{"aud": audience}},
		{name: "another issuer", claims: claims{"iss": "https://evil.example.com"}, message: "of another issuer"},
		{name: "issuer with a slash", claims: claims{"iss": o.URL + "/"}, message: "of another issuer"},
		{name: "another audience", claims: claims{"aud": "https://other.example.com"}, message: "for another audience"},
		{name: "part of an audience", claims: claims{"aud": audience + "/x"}, message: "for another audience"},
		{name: "no audience", claims: claims{"aud": nil}, message: "for another audience"},
		{name: "expired within the skew", claims: claims{"exp": now - 59}},
		{name: "expired", claims: claims{"exp": now - 60}, message: "has expired"},
		{name: "no end", claims: claims{"exp": nil}, message: "has expired"},
		{name: "not yet, within the skew", claims: claims{"nbf": now + 60}},
		{name: "not yet", claims: claims{"nbf": now + 61}, message: "not good yet"},
		{name: "no beginning", claims: claims{"nbf": nil}},
		{name: "issued within the skew", claims: claims{"iat": now + 60}},
		{name: "issued later", claims: claims{"iat": now + 61}, message: "in the future"},
		{name: "ID token by nonce", claims: claims{"nonce": "n"}, message: "not an access token"},
		{name: "ID token by hash", claims: claims{"at_hash": "h"}, message: "not an access token"},
		{name: "ID token by kind", claims: claims{"typ": "ID"}, message: "not an access token"},
		{name: "access token by kind", claims: claims{"typ": "Bearer"}},
		{name: "bound to a key", claims: claims{"cnf": claims{"jkt": "x"}}, message: "bound to a key"},
		{name: "nobody", claims: claims{"sub": nil}, message: "whom it is for"},
		{name: "no scope", claims: claims{"scope": nil}, message: "no scope of handoff"},
		{name: "another scope", claims: claims{"scope": "agent xhandoff:agent handoff:agents"}, message: "no scope of handoff"},
		{name: "no agents", claims: claims{"handoff_agents": nil}, message: "names no agent"},
		{name: "odd agents", claims: claims{"handoff_agents": []any{1}}, message: "names no agent"},
		{name: "impossible agents", claims: claims{"handoff_agents": []string{"-x", "system", "human"}}, message: "names no agent"},
		{name: "odd claims", claims: claims{"scope": 7}, message: "claims of the token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := remoteRequest(t, o.sign(k, c.typ, o.claims(c.claims)))
			r.RemoteAddr = c.name // each case is an address of its own
			if c.message == "" {
				w.requireAccepted(r)
				return
			}
			e := w.requireRefused(r, auth.JWT, c.message)
			require.Equal(t, schemas.Denied, e.Code)
		})
	}
}

func TestIssuer_ReadsScopeAndAgentsFromClaims(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o, func(c *auth.IssuerConfig) { c.AgentsClaim = "roles" })
	k := o.publish("1", jose.ES256)
	type claims = map[string]any
	who := func(c claims) schemas.Caller {
		return w.requireAccepted(remoteRequest(t, o.sign(k, "JWT", o.claims(c))))
	}

	c := who(claims{"roles": "human qa qa -x", "scope": "handoff:read handoff:admin"})
	require.Equal(t, schemas.ScopeAdmin, c.Scope)
	require.Equal(t, []schemas.Agent{"human", "qa"}, c.Names)
	c = who(claims{"roles": []string{"human", "qa"}, "scope": nil, "scp": []string{"handoff:read"}})
	require.Equal(t, schemas.ScopeRead, c.Scope)
	require.Equal(t, []schemas.Agent{"qa"}, c.Names, "human takes admin")

	long := strings.Repeat("x", 100)
	one, two := who(claims{"roles": "qa", "sub": long + "1"}).Token, who(claims{"roles": "qa", "sub": long + "2"}).Token
	require.NotEqual(t, one, two)
	require.LessOrEqual(t, len(one), 64)
	require.Regexp(t, `^jwt:a\\u202eb-[0-9a-f]{8}$`, who(claims{"roles": "qa", "sub": "a\u202eb"}).Token)
}

func TestIssuer_LimitsRateBySubject(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	k := o.publish("1", jose.ES256)
	n, e := countAcceptedRequests(w, remoteRequest(t, o.sign(k, "JWT", o.claims(nil))), auth.Rate)
	require.Equal(t, 100, n)
	require.Equal(t, "token jwt:user-1 may make 50 requests a second", e.Message)
	w.requireRefused(remoteRequest(t, o.sign(k, "JWT", o.claims(map[string]any{"jti": "2"}))), auth.Rate, "jwt:user-1")
	w.requireAccepted(remoteRequest(t, o.sign(k, "JWT", o.claims(map[string]any{"sub": "user-2"}))))
}

// With an issuer every caller needs a token, and tokens of the workspace stay valid.
func TestIssuer_WorksNextToTokensOfWorkspace(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	w.requireRefused(localRequest(t), auth.NoToken, "a token is needed")
	require.Equal(t, "ci", w.requireAccepted(remoteRequest(t, w.addToken("ci", 1))).Token)
	require.Zero(t, o.requestCount("/keys"))
}

func TestIssuer_RefusesForgedTokens(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	k := o.publish("1", jose.RS256)
	good := o.sign(k, "JWT", o.claims(nil))
	head, rest, _ := strings.Cut(good, ".")
	body, signature, _ := strings.Cut(rest, ".")
	encode := func(v map[string]any) string {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	stranger := key{jose.SigningKey{Algorithm: jose.RS256, Key: newKey(t, jose.RS256)}, "1"}
	der, err := x509.MarshalPKIXPublicKey(o.keys.Keys[0].Key)
	require.NoError(t, err)
	public := key{jose.SigningKey{Algorithm: jose.HS256, Key: der}, "1"}

	for name, token := range map[string]string{
		"unsigned":                       encode(map[string]any{"alg": "none", "kid": "1"}) + "." + body + ".",
		"unsigned with a signature":      encode(map[string]any{"alg": "none", "kid": "1"}) + "." + body + "." + signature,
		"by the public key":              o.sign(public, "JWT", o.claims(nil)),
		"by a stranger":                  o.sign(stranger, "JWT", o.claims(nil)),
		"other claims":                   head + "." + encode(o.claims(map[string]any{"scope": "handoff:admin"})) + "." + signature,
		"other head":                     encode(map[string]any{"alg": "RS256", "kid": "1", "x": 1}) + "." + body + "." + signature,
		"no signature":                   head + "." + body + ".",
		"nothing but dots":               "..",
		"by a stranger without a key id": o.sign(key{stranger.SigningKey, ""}, "JWT", o.claims(nil)),
	} {
		t.Run(name, func(t *testing.T) {
			w.requireRefused(remoteRequest(t, token), auth.JWT, "the token is not signed by its issuer")
		})
	}
	w.requireRefused(remoteRequest(t, "opaque"), auth.JWT, "neither a token of handoff nor a JSON Web Token")
	require.Equal(t, "planner", string(w.requireAccepted(remoteRequest(t, good)).Agent))
}

// A program that can check a token with a shared key can also make a token. So the server refuses the algorithm even if
// the issuer publishes the key.
func TestIssuer_RefusesTokenSignedWithSharedKey(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	o.publish("1", jose.ES256)
	shared := []byte(strings.Repeat("k", 32))
	o.changeBehaviour(func() { o.keys.Keys = append(o.keys.Keys, jose.JSONWebKey{Key: shared, KeyID: "2"}) })
	forged := o.sign(key{jose.SigningKey{Algorithm: jose.HS256, Key: shared}, "2"}, "JWT", o.claims(nil))
	w.requireRefused(remoteRequest(t, forged), auth.JWT, "not signed by its issuer")
}

func TestIssuer_ReadsRotatedKeys(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	old := o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil))
	w.requireAccepted(remoteRequest(t, old))
	w.passTime(10 * time.Second)

	next := o.sign(o.publish("2", jose.RS256), "JWT", o.claims(nil))
	w.requireAccepted(remoteRequest(t, next))
	w.requireAccepted(remoteRequest(t, next))
	require.Equal(t, 2, o.requestCount("/keys"))
	w.passTime(time.Second)
	w.requireRefused(remoteRequest(t, old), auth.JWT, "not signed by its issuer")
}

// If a caller signs tokens with keys of its own, the server does not ask the issuer for keys at each call.
func TestIssuer_ReadsKeysRarelyForForgedTokens(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	good := o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil))
	w.requireAccepted(remoteRequest(t, good))
	forged := key{jose.SigningKey{Algorithm: jose.ES256, Key: newKey(t, jose.ES256)}, "mine"}
	for range 15 {
		w.requireRefused(remoteRequest(t, o.sign(forged, "JWT", o.claims(nil))), auth.JWT, "not signed by its issuer")
	}
	require.Equal(t, 1, o.requestCount("/keys"))
	w.passTime(time.Minute)
	w.requireRefused(remoteRequest(t, o.sign(forged, "JWT", o.claims(nil))), auth.JWT, "not signed by its issuer")
	require.Equal(t, 2, o.requestCount("/keys"))
	w.requireAccepted(remoteRequest(t, good))
}

// requireUnavailable checks that the request gets an error that does not blame the token.
func (w *world) requireUnavailable(r *http.Request) {
	w.Helper()
	_, err := w.Caller(r)
	e := schemas.AsError(err)
	require.Equal(w, schemas.Unavailable, e.Code, e)
	require.Equal(w, 5, e.RetryAfter)
	require.NotContains(w, e.Message+e.Hint, "127.0.0.1", "what is inside is not told")
	_, unauthorized := auth.ChallengeHeader(err, "")
	require.False(w, unauthorized)
}

func TestIssuer_ReturnsUnavailableWhileIssuerIsDown(t *testing.T) {
	var log bytes.Buffer
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o, func(c *auth.IssuerConfig) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	k := o.publish("1", jose.ES256)
	token := o.sign(k, "JWT", o.claims(nil))
	o.changeBehaviour(func() { o.down = true })
	w.requireUnavailable(remoteRequest(t, token))
	w.requireUnavailable(remoteRequest(t, token))
	require.Equal(t, 1, o.requestCount(o.at), "between tries is a pause")
	require.Contains(t, log.String(), "issuer not read")

	o.changeBehaviour(func() { o.down = false })
	w.requireUnavailable(remoteRequest(t, token))
	w.passTime(5 * time.Second)
	w.requireAccepted(remoteRequest(t, token))

	o.changeBehaviour(func() { o.down = true })
	w.passTime(time.Minute)
	w.requireAccepted(remoteRequest(t, token)) // by the keys that are known
	next := key{jose.SigningKey{Algorithm: jose.ES256, Key: newKey(t, jose.ES256)}, "2"}
	w.requireUnavailable(remoteRequest(t, o.sign(next, "JWT", o.claims(nil)))) // the token may be valid
	w.requireUnavailable(remoteRequest(t, o.sign(next, "JWT", o.claims(nil))))
	w.requireAccepted(remoteRequest(t, token))
	require.Empty(t, w.denied)
}

func TestIssuer_ReturnsUnavailableWhileKeysAreUnreachable(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	token := o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil))
	o.changeBehaviour(func() { o.locked = true })
	w.requireUnavailable(remoteRequest(t, token))
	w.requireUnavailable(remoteRequest(t, token))
	require.Equal(t, 1, o.requestCount("/keys"), "between tries is a pause")
	o.changeBehaviour(func() { o.locked = false })
	w.passTime(5 * time.Second)
	w.requireAccepted(remoteRequest(t, token))
}

func TestSubjectName_DistinguishesSimilarSubjects(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	k := o.publish("1", jose.ES256)
	long := strings.Repeat("x", 100)
	first := w.requireAccepted(remoteRequest(t, o.sign(k, "JWT", o.claims(map[string]any{"sub": long})))).Token
	second := w.requireAccepted(remoteRequest(t, o.sign(k, "JWT", o.claims(map[string]any{"sub": strings.TrimPrefix(first, "jwt:")})))).Token
	require.NotEqual(t, first, second)
}

// A type that is no text does not belong to an access token.
func TestIssuer_RefusesTokenTypeThatIsNotText(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	k := o.publish("1", jose.ES256)
	signer, err := jose.NewSigner(k.SigningKey, (&jose.SignerOptions{}).WithHeader("kid", "1").WithHeader("typ", 7))
	require.NoError(t, err)
	claims, err := json.Marshal(o.claims(nil))
	require.NoError(t, err)
	signed, err := signer.Sign(claims)
	require.NoError(t, err)
	token, err := signed.CompactSerialize()
	require.NoError(t, err)
	w.requireRefused(remoteRequest(t, token), auth.JWT, "not an access token")
}
