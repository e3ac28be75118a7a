package web

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// linger is how long the rest of a body that nobody reads may take to arrive. It has to: many clients read no
// answer before they have sent everything.
const linger = time.Second

// paced bounds the time in which bodies arrive and answers leave. The server's own limits cannot: they are for
// whole requests, also those that wait for something to happen. Deadlines outlast the request for which they were
// set, so each request sets its own.
func (s *Server) paced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(s.config.Limits.Answer))
		if r.ProtoMajor == 1 && r.ContentLength < 0 {
			w.Header().Set("Connection", "close") // what a proxy took for its end may be another (RFC 9112, section 6.1)
		}
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		_ = control.SetReadDeadline(time.Now().Add(s.config.Limits.Body))
		arriving := &body{ReadCloser: r.Body}
		r = r.WithContext(r.Context()) // a copy: the server looks after the body in its own
		r.Body = arriving
		next.ServeHTTP(w, r)
		if !arriving.over.Load() {
			_ = control.SetReadDeadline(time.Now().Add(linger))
		}
	})
}

// A body knows when there is no more of it. The server lifts the deadline then, because from there on it reads only
// to notice that the client is gone: another deadline would pass for that.
type body struct {
	io.ReadCloser
	over atomic.Bool // it is whole, or broke
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.over.Store(true)
	}
	return n, err
}
