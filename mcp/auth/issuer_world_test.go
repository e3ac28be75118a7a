package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
)

// audience is the issuer's name for this server.
const audience = "https://handoff.example.com/mcp"

// testIssuer is an OAuth issuer on this machine.
type testIssuer struct {
	*testing.T
	*httptest.Server
	now func() time.Time

	mu     sync.Mutex // guards the fields below
	down   bool
	locked bool               // the keys only
	during func()             // called while a document is asked for; nil for nothing
	at     string             // path of the document; default: the path of OpenID Connect
	about  map[string]any     // wrong contents of the document, by field
	keys   jose.JSONWebKeySet // published
	asked  map[string]int     // by path
}

func startTestIssuer(t *testing.T) *testIssuer {
	t.Helper()
	o := &testIssuer{T: t, at: "/.well-known/openid-configuration", asked: map[string]int{}}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *testIssuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked[r.URL.Path]++
	if o.during != nil {
		o.during()
	}
	switch {
	case o.down:
		panic(http.ErrAbortHandler) // cuts the connection
	case r.URL.Path == "/keys" && o.locked:
		http.Error(w, "not now", http.StatusInternalServerError)
	case r.URL.Path == "/keys":
		_ = json.NewEncoder(w).Encode(o.keys)
	case r.URL.Path == o.at:
		document := map[string]any{"issuer": o.URL, "jwks_uri": o.URL + "/keys"}
		maps.Copy(document, o.about)
		_ = json.NewEncoder(w).Encode(document)
	default:
		http.NotFound(w, r)
	}
}

// changeBehaviour changes the behaviour of the issuer from now on.
func (o *testIssuer) changeBehaviour(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

// requestCount returns the number of requests for a path.
func (o *testIssuer) requestCount(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[path]
}

// key is a key of the issuer, with the algorithm of its signatures.
type key struct {
	jose.SigningKey
	id string
}

// publish makes a key and publishes it as the only one.
func (o *testIssuer) publish(id string, alg jose.SignatureAlgorithm) key {
	o.Helper()
	private := newKey(o.T, alg)
	public := jose.JSONWebKey{Key: private.Public(), KeyID: id, Algorithm: string(alg), Use: "sig"}
	o.changeBehaviour(func() { o.keys.Keys = []jose.JSONWebKey{public} })
	return key{jose.SigningKey{Algorithm: alg, Key: private}, id}
}

func newKey(t *testing.T, alg jose.SignatureAlgorithm) crypto.Signer {
	t.Helper()
	if alg == jose.ES256 {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		return k
	}
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return k
}

// claims returns the claims of a good token, with changes; nil removes a claim.
func (o *testIssuer) claims(changes map[string]any) map[string]any {
	now := o.now().Unix()
	all := map[string]any{
		"iss": o.URL, "aud": []string{audience, "other"}, "sub": "user-1", "exp": now + 600, "nbf": now, "iat": now,
		"scope": "openid handoff:agent", "handoff_agents": []string{"planner", "qa"},
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// sign makes a token of a type, empty for none.
func (o *testIssuer) sign(k key, typ string, claims map[string]any) string {
	o.Helper()
	options := (&jose.SignerOptions{}).WithHeader("kid", k.id)
	if typ != "" {
		options = options.WithType(jose.ContentType(typ))
	}
	signer, err := jose.NewSigner(k.SigningKey, options)
	require.NoError(o, err)
	payload, err := json.Marshal(claims)
	require.NoError(o, err)
	jws, err := signer.Sign(payload)
	require.NoError(o, err)
	token, err := jws.CompactSerialize()
	require.NoError(o, err)
	return token
}

// newWorldWithIssuer makes a world that accepts tokens of a test issuer.
func newWorldWithIssuer(t *testing.T, o *testIssuer, set ...func(*auth.IssuerConfig)) *world {
	t.Helper()
	return newWorld(t, func(w *world, c *auth.Config) {
		o.now = w.space.Now
		config := auth.IssuerConfig{URL: o.URL, Audience: audience, Now: w.space.Now}
		for _, change := range set {
			change(&config)
		}
		issuer, err := auth.NewIssuer(config)
		require.NoError(t, err)
		c.Issuer = issuer
	})
}
