package auth

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// readInterval is how long an address is not read again: bad tokens must not make a server a burden to its issuer. A
// token of a key that was published meanwhile is refused; issuers publish keys long before they use them.
const readInterval = 5 * time.Second

var (
	errTooSoon      = errors.New("asked a moment ago")
	errReadRecently = fmt.Errorf("%w: what was read is as good as new", errTooSoon)
)

// paced reads each address at most once in a readInterval, and at most 1 MiB of it. In between it returns
// errReadRecently or errTooSoon, after a read that succeeded or failed.
type paced struct {
	http.RoundTripper
	now func() time.Time

	mu   sync.Mutex          // guards the field below
	last map[string]lastRead // by address; an issuer has only a few
}

type lastRead struct {
	at   time.Time
	read bool
}

func newPaced(next http.RoundTripper, now func() time.Time) *paced {
	return &paced{RoundTripper: next, now: now, last: map[string]lastRead{}}
}

// most is how much of a document is read, in bytes.
const most = 1 << 20

func (p *paced) RoundTrip(r *http.Request) (*http.Response, error) {
	address := r.URL.String()
	if err := p.start(address); err != nil {
		return nil, err
	}
	resp, err := p.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		p.done(address)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, most), resp.Body}
	return resp, nil
}

func (p *paced) start(address string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	v, ok := p.last[address]
	switch {
	case !ok || now.Sub(v.at) >= readInterval:
		p.last[address] = lastRead{at: now}
		return nil
	case v.read:
		return errReadRecently
	}
	return errTooSoon
}

func (p *paced) done(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[address] = lastRead{at: p.last[address].at, read: true}
}
