package auth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
	"handoff/schemas"
)

func TestChallengeHeader_NamesFaultOfToken(t *testing.T) {
	const metadata = "https://handoff.example.com/.well-known/oauth-protected-resource/mcp"
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	k := o.publish("1", jose.ES256)
	secret := w.addToken("ci", 1)
	refused := func(r *http.Request) error {
		_, err := w.Caller(r)
		require.Error(t, err)
		return err
	}
	for _, c := range []struct {
		name, metadata, value string
		err                   error
		unauthorized          bool
	}{
		{"nothing came", "", `Bearer`, refused(localRequest(t)), true},
		{
			"nothing came, with OAuth", metadata,
			`Bearer scope="handoff:agent", resource_metadata="` + metadata + `"`, refused(localRequest(t)), true,
		},
		{
			"unknown", "", `Bearer error="invalid_token", error_description="nobody has this token"`,
			refused(remoteRequest(t, secretOf(9))), true,
		},
		{
			"odd header", "",
			`Bearer error="invalid_request", error_description="the header Authorization is not the word Bearer and a token"`,
			refused(localRequest(t, "Authorization", "Basic x")), true,
		},
		{
			"scope", metadata,
			`Bearer error="insufficient_scope", error_description="the token has no scope of handoff", scope="handoff:agent", ` +
				`resource_metadata="` + metadata + `"`,
			refused(remoteRequest(t, o.sign(k, "JWT", o.claims(map[string]any{"scope": "x"})))), false,
		},
		{"name", metadata, "", refused(remoteRequest(t, secret, auth.AgentHeader, "boss")), false},
		{"what the tools refuse", metadata, "", schemas.Errorf(schemas.Denied, "no"), false},
		{"no error", metadata, "", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			value, unauthorized := auth.ChallengeHeader(c.err, c.metadata)
			require.Equal(t, c.value, value)
			require.Equal(t, c.unauthorized, unauthorized)
		})
	}
}

func TestMetadata_NamesIssuer(t *testing.T) {
	require.Equal(t, "https://handoff.example.com/.well-known/oauth-protected-resource/mcp", auth.MetadataURL(audience))
	require.Equal(t, "https://h/.well-known/oauth-protected-resource", auth.MetadataURL("https://h/"))

	answer := httptest.NewRecorder()
	auth.MetadataHandler(audience, "https://login.example.com").ServeHTTP(answer, localRequest(t))
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, "no-store", answer.Header().Get("Cache-Control"))
	require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	require.JSONEq(t, `{
		"resource": "https://handoff.example.com/mcp", "resource_name": "handoff",
		"authorization_servers": ["https://login.example.com"], "bearer_methods_supported": ["header"],
		"scopes_supported": ["handoff:read", "handoff:agent", "handoff:admin"]
	}`, answer.Body.String())
}
