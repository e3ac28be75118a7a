package web_test

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
	"handoff/schemas"
)

// tryListen tries to listen, and returns the error, or nil, and the log.
func tryListen(t *testing.T, c web.Config) (*schemas.Error, string) {
	t.Helper()
	var log bytes.Buffer
	c.MCP, c.Logger = http.NotFoundHandler(), slog.New(slog.NewTextHandler(&log, nil))
	s, err := web.Listen(t.Context(), c)
	if err == nil {
		require.NotContains(t, s.Addr().String(), ":0")
		require.NoError(t, s.Shutdown(t.Context()))
		return nil, log.String()
	}
	var refused *schemas.Error
	require.ErrorAs(t, err, &refused)
	require.NotEmpty(t, refused.Hint)
	require.NotEmpty(t, refused.Field)
	return refused, log.String()
}

func TestListen_AllowsLoopback(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "127.1.2.3:0", "localhost:0", "LocalHost:0", "[::1]:0"} {
		refused, log := tryListen(t, web.Config{Addr: addr, Open: true})
		if refused != nil && refused.Code == schemas.Unavailable {
			t.Logf("this machine has no %s", addr)
			continue
		}
		require.Nil(t, refused, addr)
		require.Empty(t, log)
	}
}

// documentationAddr is an address for documentation. Even if Listen allowed it, no network could reach the test there.
const documentationAddr = "192.0.2.1:0"

func TestListen_OtherAddressesNeedTokensAndCertificate(t *testing.T) {
	cert, key := newPair(t, t.TempDir(), "handoff.test", 1)
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", documentationAddr} {
		refused, _ := tryListen(t, web.Config{Addr: addr, Open: true, Insecure: true, Cert: cert, Key: key})
		require.Equal(t, schemas.Denied, refused.Code)
		require.Contains(t, refused.Hint, "handoff token add")

		refused, _ = tryListen(t, web.Config{Addr: addr})
		require.Equal(t, schemas.Denied, refused.Code)
		require.Contains(t, refused.Hint, "--tls-cert")
	}
	for _, c := range []web.Config{{Insecure: true}, {Cert: cert, Key: key}} {
		c.Addr = documentationAddr
		refused, _ := tryListen(t, c)
		require.Equal(t, schemas.Unavailable, refused.Code, "it was tried")
	}
}

func TestListen_RefusesUnusableAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	refused, _ := tryListen(t, web.Config{Addr: taken.Addr().String()})
	require.Equal(t, schemas.Conflict, refused.Code)
	require.Contains(t, refused.Message, taken.Addr().String())

	for _, addr := range []string{"", "4263", "127.0.0.1", "127.0.0.1:http:1", "127.0.0.1:99999", "no.such.host.invalid:1"} {
		refused, _ := tryListen(t, web.Config{Addr: addr, Insecure: true})
		require.Equal(t, schemas.Invalid, refused.Code, addr)
		require.Equal(t, "--http", refused.Field)
	}
}

func TestListen_RefusesUnusableCertificate(t *testing.T) {
	cert, key := newPair(t, t.TempDir(), "handoff.test", 1)
	_, other := newPair(t, t.TempDir(), "handoff.test", 2)
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for _, c := range []struct{ name, cert, key, field string }{
		{"no key", cert, "", "--tls-key"},
		{"no certificate", "", key, "--tls-cert"},
		{"key is missing", cert, missing, "--tls-key"},
		{"certificate is missing", missing, key, "--tls-cert"},
		{"key of another", cert, other, "--tls-cert"},
		{"the wrong way round", key, cert, "--tls-cert"},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused, _ := tryListen(t, web.Config{Addr: "127.0.0.1:0", Cert: c.cert, Key: c.key})
			require.Equal(t, schemas.Invalid, refused.Code)
			require.Equal(t, c.field, refused.Field)
		})
	}
}

func TestListen_RefusesInvalidHost(t *testing.T) {
	for _, host := range []string{"", "*", "*.example.com", "https://example.com", "a b"} {
		refused, _ := tryListen(t, web.Config{Addr: "127.0.0.1:0", Hosts: []string{host}})
		require.Equal(t, "--host", refused.Field, host)
	}
}
