//go:build unix

package network_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
)

// An issuer of access tokens on this machine.
type issuer struct {
	*httptest.Server
	t   *testing.T
	key *ecdsa.PrivateKey
}

const audience = "https://handoff.example.com/mcp"

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	i := &issuer{t: t, key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(said{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		public := jose.JSONWebKey{Key: key.Public(), KeyID: "k", Algorithm: string(jose.ES256), Use: "sig"}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// sign makes an access token that is good but for changes to its claims; nil takes one out.
func (i *issuer) sign(key any, alg jose.SignatureAlgorithm, changes said) string {
	i.t.Helper()
	claims := said{
		"iss": i.URL, "aud": audience, "sub": "user", "exp": time.Now().Add(time.Minute).Unix(),
		"scope": "handoff:agent", "handoff_agents": []string{"ann", "anna"},
	}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	payload, err := json.Marshal(claims)
	require.NoError(i.t, err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	require.NoError(i.t, err)
	signed, err := signer.Sign(payload)
	require.NoError(i.t, err)
	token, err := signed.CompactSerialize()
	require.NoError(i.t, err)
	return token
}

func TestOAuth_AcceptsOnlyValidTokens(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	s := newSite(t)
	v := s.serve("--oauth-issuer", i.URL, "--oauth-audience", audience)
	good := func(changes said) string { return i.sign(i.key, jose.ES256, changes) }

	resp, err := v.bare("", newer).post(s.ctx, v.bare("", newer).call(1, "list_agents", nil))
	require.NoError(t, err)
	read(t, resp, http.StatusUnauthorized)
	const metadata = "/.well-known/oauth-protected-resource"
	require.Contains(t, resp.Header.Get("WWW-Authenticate"), `resource_metadata="https://handoff.example.com`+metadata+`/mcp"`)
	for _, path := range []string{metadata, metadata + "/mcp"} {
		status, text := v.page(path, "")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, text, `"resource":"`+audience+`"`)
		require.Contains(t, text, i.URL)
	}

	for _, era := range eras {
		require.NoError(t, v.mustJoin(good(nil), "", era).cycle(s.ctx, "ann"))
		require.NoError(t, v.mustJoin(good(nil), "anna", era).cycle(s.ctx, "anna"))
		_, a := v.bare(good(said{"scope": "handoff:read"}), era).tool("send_handoff", said{"to": "ben", "task": "x"})
		require.True(t, a.Result.IsError)
	}
	require.NoError(t, v.mustJoin(s.token("tok", "tok"), "", newer).cycle(s.ctx, "tok"), "tokens of handoff are good too")

	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	whole := good(nil)
	head, rest, _ := strings.Cut(whole, ".")
	payload, _, _ := strings.Cut(rest, ".")
	for name, c := range map[string]struct {
		bearer string
		status int
	}{
		"another key":      {i.sign(other, jose.ES256, nil), 401},
		"a shared key":     {i.sign([]byte(strings.Repeat("k", 32)), jose.HS256, nil), 401},
		"no signature":     {head + "." + payload + ".", 401},
		"no algorithm":     {"eyJhbGciOiJub25lIn0." + payload + ".", 401},
		"another audience": {good(said{"aud": "https://elsewhere.example.com"}), 401},
		"another issuer":   {good(said{"iss": "https://elsewhere.example.com"}), 401},
		"expired":          {good(said{"exp": time.Now().Add(-time.Hour).Unix()}), 401},
		"not yet":          {good(said{"nbf": time.Now().Add(time.Hour).Unix()}), 401},
		"no scope":         {good(said{"scope": "openid"}), 403},
		"no agents":        {good(said{"handoff_agents": nil}), 403},
		"only human":       {good(said{"handoff_agents": []string{"human"}}), 403},
	} {
		b := v.bare(c.bearer, newer)
		resp, err := b.post(s.ctx, b.call(1, "list_agents", nil))
		require.NoError(t, err, name)
		require.NotContains(t, read(t, resp, resp.StatusCode), c.bearer, name)
		require.Equal(t, c.status, resp.StatusCode, name)
	}
	b := v.bare(whole, newer).as(func(b *bare) { b.header.Set("Handoff-Agent", "ben") })
	status, _ := b.tool("list_agents", nil)
	require.Equal(t, http.StatusForbidden, status)
	require.NotContains(t, v.log.String(), whole)
	require.NotContains(t, v.log.String(), payload)
}
