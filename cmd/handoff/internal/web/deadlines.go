package web

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// linger is the time that a client has after the response to send the rest of its request body. Many clients read no
// response before they have sent the whole body.
const linger = time.Second

// setDeadlines limits the time in which a request body arrives, and the time in which a response is sent. The timeouts
// of [http.Server] would limit whole requests, and some requests wait for long. A deadline stays on the connection
// after its request, so setDeadlines sets the deadlines anew for each request.
func (s *Server) setDeadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(s.config.Limits.Answer))
		if r.ProtoMajor == 1 && r.ContentLength < 0 {
			w.Header().Set("Connection", "close") // a proxy may see another end (RFC 9112, section 6.1)
		}
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		_ = control.SetReadDeadline(time.Now().Add(s.config.Limits.Body))
		tracked := &trackedBody{ReadCloser: r.Body}
		r = r.WithContext(r.Context()) // a copy: the server needs its own with the real body
		r.Body = tracked
		next.ServeHTTP(w, r)
		if !tracked.ended.Load() {
			_ = control.SetReadDeadline(time.Now().Add(linger))
		}
	})
}

// trackedBody is a request body that knows whether it has ended. After the end of the body, the server removes the read
// deadline, and reads only to notice that the client hangs up. If the handler then set a new deadline, its expiry would
// look as if the client hung up.
type trackedBody struct {
	io.ReadCloser
	ended atomic.Bool // it is whole, or broke off
}

func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended.Store(true)
	}
	return n, err
}
