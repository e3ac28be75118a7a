//go:build unix

package network_test

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lie is a request that means different things to different readers, or nothing.
type lie struct {
	name, text string
	status     string // of the first answer, as a pattern
	answers    int    // how many there may be
}

const chunks = "0\r\n\r\n"

// lies are told to a server at an address.
func lies(addr string) []lie {
	post := "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\n"
	get := "GET /healthz HTTP/1.1\r\nHost: " + addr + "\r\n\r\n"
	return []lie{
		{"length and chunked", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + get, "401", 1},
		{"chunked and length", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunks + get, "401", 1},
		{"two lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456", "400", 1},
		{"two lengths in one", post + "Content-Length: 5, 6\r\n\r\n123456", "400", 1},
		{"negative length", post + "Content-Length: -1\r\n\r\n", "400", 1},
		{"length with a sign", post + "Content-Length: +5\r\n\r\n12345", "400", 1},
		{"length in hexadecimal", post + "Content-Length: 0x5\r\n\r\n12345", "400", 1},
		{"endless length", post + "Content-Length: 99999999999999999999\r\n\r\n1", "400", 1},
		{"other coding", post + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks, "501", 1},
		{"chunked twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, "501|400", 1},
		{"hidden coding", post + "Transfer-Encoding: \x0bchunked\r\n\r\n" + chunks, "400|501", 1},
		{"space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n" + chunks, "400", 1},
		{"folded header", post + "X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n" + chunks, "4..", 2},
		{"bare carriage return", post + "X-A: b\rTransfer-Encoding: chunked\r\n\r\n", "400", 1},
		{"zero byte in a header", post + "X-A: \x00\r\n\r\n", "400", 1},
		{"bad chunk", post + "Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n" + chunks, "4..", 1},
		{"endless chunk", post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx", "4..", 1},
		{"no host", "GET /healthz HTTP/1.1\r\n\r\n", "400", 1},
		{"two hosts", "GET /healthz HTTP/1.1\r\nHost: " + addr + "\r\nHost: evil.test\r\n\r\n", "400", 1},
		{"other host in the line", "GET http://evil.test/healthz HTTP/1.1\r\nHost: " + addr + "\r\n\r\n", "403", 1},
		{"connect", "CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", "4..", 1},
		{"trace", "TRACE /mcp HTTP/1.1\r\nHost: " + addr + "\r\n\r\n", "405", 1},
		{"asterisk", "OPTIONS * HTTP/1.1\r\nHost: " + addr + "\r\n\r\n", "4..", 1},
		{"path above", "GET /../mcp HTTP/1.1\r\nHost: " + addr + "\r\n\r\n", "404", 1},
		{"HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", "4..|505", 1},
		{"upgrade to it", "GET /healthz HTTP/1.1\r\nHost: " + addr + "\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", "200", 1},
		{"other version", "GET /healthz HTTP/3.0\r\nHost: " + addr + "\r\n\r\n", "505", 1},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400", 1},
		{"no HTTP", "SSH-2.0-OpenSSH_9.9\r\n\r\n", "400", 1},
		{"request behind a body", post + "Content-Length: 3\r\n\r\nabc" + get, "401", 2},
	}
}

// deceitful sends each request of [lies]. The server must never take a body for a request, or answer a request that was
// not made.
func (h *hostility) deceitful(t *testing.T) {
	t.Helper()
	for _, l := range lies(h.addr) {
		conn := h.dial(l.text)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
		in := bufio.NewReader(conn)
		first, err := http.ReadResponse(in, nil)
		require.NoError(t, err, l.name)
		read(t, first, first.StatusCode)
		require.Regexp(t, "^("+l.status+")$", strconv.Itoa(first.StatusCode), l.name)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite()) // not earlier: the server does not answer a client that has left
		rest, err := io.ReadAll(in)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, l.name)
		require.Less(t, strings.Count(string(rest), "HTTP/1."), l.answers, "%s: %s", l.name, rest)
	}
}

// garbage sends almost valid messages, with a good token, and nonsense.
func (h *hostility) garbage(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	b := h.bare(h.good, older)
	whole := []byte(toolCall("send_handoff", `{"to":"bad","task":"x"}`))
	seen := map[int]int{}
	for i := range 500 {
		text := spoil(r, whole, i)
		req, err := http.NewRequestWithContext(h.ctx, http.MethodPost, h.url, strings.NewReader(text))
		require.NoError(t, err)
		b.dress(req)
		resp, err := b.http.Do(req)
		require.NoError(t, err, text)
		seen[resp.StatusCode]++
		require.Contains(t, []int{200, 202, 400, 404}, resp.StatusCode, "%q", text)
		require.NoError(t, resp.Body.Close())
	}
	t.Logf("what garbage was answered: %v", seen)
	require.Greater(t, seen[400], 250)
}

// spoil changes some bytes of a message, cuts it off, or writes another.
func spoil(r *rand.Rand, whole []byte, i int) string {
	switch i % 4 {
	case 0:
		noise := make([]byte, r.IntN(2000))
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		return string(noise)
	case 1:
		return string(whole[:r.IntN(len(whole))])
	case 2:
		return strings.Repeat(string(whole), 2)
	default:
		changed := append([]byte(nil), whole...)
		for range 1 + r.IntN(5) {
			changed[r.IntN(len(changed))] = byte(r.Uint32())
		}
		return string(changed)
	}
}
