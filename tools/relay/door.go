package relay

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"handoff/schemas"
	"handoff/tools"
)

// known lets only those in who could read the note, where the address alone proves nothing.
func (o *owner) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret := o.signed().Address.Secret
		at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if at != nil && at.Network() == "tcp" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+secret)) != 1 {
			http.Error(w, "the secret in owner.json is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// who answers at once, also while the store is being opened.
func (o *owner) who(w http.ResponseWriter, _ *http.Request) {
	public := o.signed()
	public.Address = Address{}
	out, err := json.Marshal(public)
	respond(w, out, err)
}

// opened waits until the store is open. What waits for one that cannot be opened moves on.
func (o *owner) opened(ctx context.Context) error {
	select {
	case <-o.ready:
		return nil
	case <-ctx.Done():
		return errMoved
	}
}

// read reads a call to its end: otherwise nobody would notice that its caller leaves.
func (o *owner) read(w http.ResponseWriter, r *http.Request) (c tools.Call, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	switch {
	case err != nil:
		respond(w, nil, schemas.InternalError(fmt.Errorf("read a call: %w", err)))
	case late(r, o.relay.config.Now()):
		w.WriteHeader(statusLate)
	case o.opened(r.Context()) != nil:
		respond(w, nil, errMoved)
	default:
		return c, true
	}
	return c, false
}

func (o *owner) call(w http.ResponseWriter, r *http.Request) {
	c, ok := o.read(w, r)
	if !ok {
		return
	}
	defer o.crowd.enter()()
	out, err := o.seat.way.Invoke(r.Context(), c)
	if c.Tool == closeTool && err == nil {
		o.holderOf(connOf(c)).closed()
	}
	respond(w, out, err)
}

func (o *owner) changes(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	if err == nil {
		err = o.opened(r.Context())
	}
	if err != nil {
		respond(w, nil, err)
		return
	}
	respond(w, nil, nil)
	flush, lines := http.NewResponseController(w).Flush, json.NewEncoder(w)
	if flush() != nil {
		return
	}
	for c, err := range o.seat.way.Changes(r.Context(), after) {
		if errors.Is(err, errMoved) || r.Context().Err() != nil {
			return // whoever still wants them resumes
		}
		line := streamed{Change: c}
		if err != nil {
			line.Error = schemas.AsError(err)
		}
		if lines.Encode(line) != nil || flush() != nil {
			return
		}
	}
}
