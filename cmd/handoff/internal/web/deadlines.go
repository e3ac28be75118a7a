package web

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// linger is the time after the response for the rest of a body to arrive. Many clients read no response before
// they have sent the whole body.
const linger = time.Second

// setDeadlines limits the time in which a body arrives and a response leaves. The limits of [http.Server] cannot be
// used, because they are for whole requests, and some requests wait for long. A deadline stays on the connection after
// its request, so each request sets its own.
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

// A trackedBody knows whether the body has ended. At the end of the body the server removes the read deadline itself,
// and reads on only to notice that the client hangs up. A new deadline that passes would look like a client that hung
// up.
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
