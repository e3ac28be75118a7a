package postgres_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// heldConnection is a connection to a server. It can hold messages back, as if the client was stopped.
type heldConnection struct {
	Address string
	Held    chan struct{} // closed when something is held

	server string // its socket
	mu     sync.Mutex
	from   []byte        // held messages contain this, and later ones on any connection are held too; nil: none
	free   chan struct{} // closed when messages pass
}

// newHeldConnection makes a way to the server at an address.
func newHeldConnection(t testing.TB, address string) *heldConnection {
	t.Helper()
	dir, rest, _ := strings.Cut(strings.TrimPrefix(address, "host="), " ")
	own, err := os.MkdirTemp("", "pg") //nolint:usetesting // a short one: sockets have short names
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(own)) })
	l := &heldConnection{Address: "host=" + own + " " + rest, server: filepath.Join(dir, socket), free: make(chan struct{})}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(own, socket))
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go l.join(t.Context(), client)
		}
	}()
	return l
}

const socket = ".s.PGSQL.5432"

// From holds back the first message that contains mark, and all later messages on any connection.
func (l *heldConnection) From(mark string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.from, l.free, l.Held = []byte(mark), make(chan struct{}), make(chan struct{})
}

// Release lets all messages pass, those that were held first.
func (l *heldConnection) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.from = nil
	close(l.free)
}

// join connects a client to the server, until one of them ends.
func (l *heldConnection) join(ctx context.Context, client net.Conn) {
	defer client.Close()
	server, err := new(net.Dialer).DialContext(ctx, "unix", l.server)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer client.Close()
		_, _ = io.Copy(client, server)
	}()
	for message := make([]byte, 1<<16); ; {
		n, err := client.Read(message)
		if err != nil {
			return
		}
		l.pass(message[:n])
		if _, err := server.Write(message[:n]); err != nil {
			return
		}
	}
}

// pass returns when a message may go on.
func (l *heldConnection) pass(message []byte) {
	l.mu.Lock()
	from, free, held := l.from, l.free, l.Held
	if from == nil {
		l.mu.Unlock()
		return
	}
	began := isClosed(held)
	if !began && bytes.Contains(message, from) {
		close(held)
		began = true
	}
	l.mu.Unlock()
	if began {
		<-free
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
