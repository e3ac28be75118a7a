package auth_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
	"handoff/schemas"
)

func TestIssuer_FindsDocumentsAtStandardAddresses(t *testing.T) {
	for _, c := range []struct{ path, at string }{
		{"", "/.well-known/oauth-authorization-server"},
		{"", "/.well-known/openid-configuration"},
		{"/realms/one", "/.well-known/oauth-authorization-server/realms/one"},
		{"/realms/one", "/.well-known/openid-configuration/realms/one"},
		{"/realms/one", "/realms/one/.well-known/openid-configuration"},
		{"/realms/one/", "/realms/one/.well-known/openid-configuration"},
	} {
		t.Run(c.at, func(t *testing.T) {
			o := startTestIssuer(t)
			issuer := o.URL + c.path
			o.at, o.about = c.at, map[string]any{"issuer": issuer}
			w := newWorldWithIssuer(t, o, func(config *auth.IssuerConfig) { config.URL = issuer })
			w.requireAccepted(remoteRequest(t, o.sign(o.publish("1", jose.ES256), "JWT", o.claims(map[string]any{"iss": issuer}))))
		})
	}
}

func TestIssuer_RefusesInvalidDiscoveryDocuments(t *testing.T) {
	for reason, about := range map[string]map[string]any{
		"is about the issuer": {"issuer": "https://evil.example.com"},
		"is not https":        {"jwks_uri": "http://login.example.com/keys"},
		"not the address":     {"jwks_uri": ""},
		"unexpected EOF":      {"z": strings.Repeat("z", 2<<20)},
	} {
		t.Run(reason, func(t *testing.T) {
			var log bytes.Buffer
			o := startTestIssuer(t)
			o.about = about
			w := newWorldWithIssuer(t, o, func(c *auth.IssuerConfig) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			w.requireUnavailable(remoteRequest(t, o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil))))
			require.Zero(t, o.requestCount("/keys"))
			require.Contains(t, log.String(), reason)
		})
	}
}

// The first caller asks the issuer on behalf of all waiting callers: if the first caller leaves meanwhile, the others
// must not get an error.
func TestIssuer_AnswersWaitingCallersIfFirstCallerLeaves(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	r := remoteRequest(t, o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil)))
	leaving, leave := context.WithCancel(context.WithValue(t.Context(), http.LocalAddrContextKey, outside))
	o.during = leave
	_, err := w.Caller(r.WithContext(leaving))
	require.Equal(t, schemas.Unavailable, schemas.AsError(err).Code)
	w.requireAccepted(r)
}

// A read from a silent issuer takes longer than the minimum time between two reads. Callers that wait for this read
// must not start another read.
func TestIssuer_SharesFailureAmongWaitingCallers(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	token := o.sign(o.publish("1", jose.ES256), "JWT", o.claims(nil))
	o.down, o.during = true, func() { w.space.Pass(6 * time.Second) }
	var callers sync.WaitGroup
	var failures [4]error
	for i := range failures {
		callers.Go(func() { _, failures[i] = w.Caller(remoteRequest(t, token)) })
	}
	callers.Wait()
	for _, err := range failures {
		require.Equal(t, schemas.Unavailable, schemas.AsError(err).Code)
	}
	for path, times := range o.asked {
		require.Equal(t, 1, times, path)
	}
}

func TestIssuer_NeedsHTTPSOrLoopback(t *testing.T) {
	for _, c := range []struct{ url, audience, message string }{
		{"https://login.example.com/realms/one", audience, ""},
		{"http://localhost:8080", audience, ""},
		{"http://[::1]:8080", audience, ""},
		{"http://login.example.com", audience, "is not https"},
		{"ftp://login.example.com", audience, "is not https"},
		{"login.example.com", audience, "not the address of an issuer"},
		{"https://login.example.com?x=1", audience, "not the address of an issuer"},
		{"https://user:word@login.example.com", audience, "not the address of an issuer"},
		{"", audience, "not the address of an issuer"},
		{"https://login.example.com", "", "no audience"},
	} {
		_, err := auth.NewIssuer(auth.IssuerConfig{URL: c.url, Audience: c.audience, Now: time.Now})
		if c.message == "" {
			require.NoError(t, err, c.url)
			continue
		}
		require.ErrorContains(t, err, c.message, c.url)
	}
}
