//go:build unix

package network_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store/postgres/postgrestest"
)

// Two nodes of a database serve agents with tokens, and reach each other, over TLS.
func TestNodes_ReachEachOtherOverTLS(t *testing.T) {
	t.Parallel()
	cert, key, roots := certify(t)
	address := postgrestest.StartServer(t)
	s := newSite(t, "HANDOFF_STORE="+address, "SSL_CERT_FILE="+cert)
	secret := s.token("ann", "ann")
	connections := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(connections.CloseIdleConnections)
	var agents []*agent
	var nodes []*server
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		at := listener.Addr().String()
		require.NoError(t, listener.Close())
		v := s.serve("--http", at, "--store", address, "--advertise", "https://"+at, "--tls-cert", cert, "--tls-key", key)
		v.url = strings.Replace(v.url, "NAME", "w", 1)
		a, err := v.join(s.ctx, secret, "", newer, connections)
		require.NoError(t, err)
		agents, nodes = append(agents, a), append(nodes, v)
	}
	sent, err := agents[0].send(s.ctx, schemas.SendIn{To: "ann", Task: "try it", Parent: "none"})
	require.NoError(t, err)
	claimed, err := agents[1].claim(s.ctx, schemas.ClaimIn{})
	require.NoError(t, err)
	require.Equal(t, sent.HandoffID, claimed.HandoffID)
	_, err = agents[0].complete(s.ctx, claimed)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.verify().Handoffs, "which a command asks them for")

	for path, wrong := range map[string]string{"/w/w/mcp": "ho_wrong", "/w/other/mcp": secret, "/node/w/call": secret} {
		r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, "https://"+nodes[0].addr+path, strings.NewReader("{}"))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+wrong)
		resp, err := (&http.Client{Transport: connections}).Do(r)
		require.NoError(t, err)
		read(t, resp, http.StatusUnauthorized)
	}
	for _, v := range nodes {
		v.stop()
	}
}

func TestNodes_RefuseOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for why, args := range map[string]string{
		"there are no other servers": "--advertise http://127.0.0.1:1",
		"is not the URL of a node":   "--store host=/nowhere --advertise node1:4263",
		"unencrypted":                "--store host=/nowhere --advertise http://node1.example.com:4263",
		"cannot be read":             "--store postgres://ann:secret@:port",
	} {
		_, out, errs := s.run(append([]string{"serve", "--http", "127.0.0.1:0"}, strings.Fields(args)...)...)
		require.Empty(t, out)
		require.Contains(t, errs, why)
		require.NotContains(t, errs, "secret")
	}
}
