package web

import (
	"bytes"
	"log/slog"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// The test is internal, because an external test would have to listen on the network.
func TestListen_WarnsAboutInsecureAddress(t *testing.T) {
	var log bytes.Buffer
	warnInsecure(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), &net.TCPAddr{IP: net.IPv4zero, Port: 4263})
	require.Regexp(t, `level=WARN msg="no encryption: tokens and handoffs can be read .*" address=0\.0\.0\.0:4263\n`, log.String())
}
