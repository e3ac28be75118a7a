package web_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
)

// newPair writes a self-signed certificate for a name and for 127.0.0.1, and its key.
func newPair(t *testing.T, dir, name string, serial int64) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{name, "*.wild.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 9, 8, 7)},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	replaceFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}), serial)
	replaceFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), serial)
	return cert, key
}

// replaceFile replaces a file as a renewal of a certificate does, and sets its time.
func replaceFile(t *testing.T, path string, content []byte, age int64) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", content, 0o600))
	at := time.Unix(1_700_000_000+age, 0)
	require.NoError(t, os.Chtimes(path+".new", at, at))
	require.NoError(t, os.Rename(path+".new", path))
}

// serial returns the serial number of the server's current certificate.
func (s *runningServer) serial() int64 {
	s.t.Helper()
	conn, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true})
	require.NoError(s.t, err)
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestCertificate_IsReplacedWhileServing(t *testing.T) {
	dir, next := t.TempDir(), t.TempDir()
	cert, key := newPair(t, dir, "old.test", 1)
	newCert, newKey := newPair(t, next, "new.test", 2)
	s := startServer(t, web.Config{Cert: cert, Key: key})
	require.EqualValues(t, 1, s.serial())
	require.Equal(t, http.StatusForbidden, s.statusForHost("new.test"))

	require.NoError(t, os.Rename(newCert, cert))
	for range 2 {
		require.EqualValues(t, 1, s.serial(), "the key is still that of the old one")
	}
	require.NoError(t, os.Rename(newKey, key))
	require.EqualValues(t, 2, s.serial())
	require.Equal(t, http.StatusOK, s.statusForHost("new.test"))
	require.Equal(t, http.StatusForbidden, s.statusForHost("old.test"))

	require.NoError(t, os.Remove(cert))
	require.NoError(t, os.WriteFile(key, []byte("torn"), 0o600))
	require.EqualValues(t, 2, s.serial(), "one that works is kept")
	require.Contains(t, s.log.String(), "cannot be used")
	require.Contains(t, s.log.String(), "was read again")
	require.NotContains(t, s.log.String(), "PRIVATE")
}

// statusForHost returns the status of a request with this Host, over a new connection.
func (s *runningServer) statusForHost(host string) int {
	s.t.Helper()
	conn, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true})
	require.NoError(s.t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /mcp HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
	require.NoError(s.t, err)
	response, _ := readReply(s.t, conn)
	return response.StatusCode
}

func TestCertificate_NamesAreAllowedHosts(t *testing.T) {
	cert, key := newPair(t, t.TempDir(), "handoff.test", 1)
	s := startServer(t, web.Config{Cert: cert, Key: key})
	for host, status := range map[string]int{
		"handoff.test": 200, "HANDOFF.test.:1": 200, "a.wild.test": 200, "10.9.8.7": 200, "localhost": 200, s.addr: 200,
		"wild.test": 403, "a.b.wild.test": 403, "10.9.8.6": 403, "evil.test": 403,
	} {
		require.Equal(t, status, s.statusForHost(host), host)
	}
}

// newHTTP2Client returns a client that speaks HTTP/2 and trusts the certificate.
func newHTTP2Client(t *testing.T, cert string) *http.Client {
	t.Helper()
	content, err := os.ReadFile(cert)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(content))
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestServer_StreamsOverHTTP2(t *testing.T) {
	cert, key := newPair(t, t.TempDir(), "handoff.test", 1)
	read := make(chan bool)
	s := startServer(t, web.Config{Cert: cert, Key: key, MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
		control := http.NewResponseController(w)
		if control.Flush() == nil && control.SetWriteDeadline(time.Now().Add(time.Minute)) == nil {
			<-read // the client has the flushed part
			_, _ = io.WriteString(w, "after")
		}
	})})
	response, err := newHTTP2Client(t, cert).Post("https://"+s.addr+"/mcp", "application/json", io.LimitReader(zeros{}, 6))
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 2, response.ProtoMajor)
	first := make([]byte, 6)
	_, err = io.ReadFull(response.Body, first)
	require.NoError(t, err)
	require.Equal(t, "000000", string(first))
	close(read)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "after", string(rest))
}

// zeros is an endless body of unknown length.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
