//go:build unix

package network_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// certify writes a certificate of this machine that is its own authority, and its key. Clients trust it by roots.
func certify(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	require.NoError(t, os.WriteFile(cert, public, 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs}), 0o600))
	roots = x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(public))
	return cert, key, roots
}

func TestTLS_ServesBothVersionsOfHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	secret := s.token("ann", "ann")
	cert, key, roots := certify(t)
	v := s.serve("--tls-cert", cert, "--tls-key", key)
	require.True(t, strings.HasPrefix(v.url, "https://127.0.0.1:"), v.url)
	for _, newest := range []bool{false, true} { // HTTP/1.1 and HTTP/2
		connections := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: newest}
		t.Cleanup(connections.CloseIdleConnections)
		for _, era := range eras {
			a, err := v.join(s.ctx, secret, "", era, connections)
			require.NoError(t, err)
			require.NoError(t, a.cycle(s.ctx, "ann"))
			require.NoError(t, a.Close())
		}
	}
	_, err := v.join(s.ctx, secret, "", newer, nil)
	require.ErrorContains(t, err, "certificate", "who does not trust it does not come")
	got, err := hears(v.dial("GET /healthz HTTP/1.1\r\nHost: "+v.addr+"\r\nConnection: close\r\n\r\n"), 10*time.Second)
	require.NoError(t, err)
	require.Regexp(t, "^HTTP/1.0 400 ", got)
	require.Less(t, v.stop(), 2*time.Second)
}

// TestServe_OtherMachinesNeedTokensAndTLS gives addresses that other machines reach. The port is taken, so an attempt
// to listen would fail with another error.
func TestServe_OtherMachinesNeedTokensAndTLS(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	_, port, err := net.SplitHostPort(taken.Addr().String())
	require.NoError(t, err)
	s := newSite(t)
	refused := func(why string, args ...string) {
		t.Helper()
		for _, host := range []string{"0.0.0.0", "", "[::]"} {
			code, out, errs := s.run(append([]string{"serve", "--http", host + ":" + port}, args...)...)
			require.Equal(t, 4, code, errs)
			require.Empty(t, out)
			require.Contains(t, errs, why)
			require.NotContains(t, errs, "serving")
			require.NotContains(t, errs, "another process listens")
		}
	}
	cert, key, _ := certify(t)
	refused("has no token")
	refused("has no token", "--tls-cert", cert, "--tls-key", key)
	s.token("ann", "ann")
	refused("there is no certificate")

	code, _, errs := s.run("serve", "--http", "127.0.0.1:"+port)
	require.Equal(t, 5, code, "so it says when it does try")
	require.Contains(t, errs, "another process listens")
}
