package auth

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// pause is how long nothing is read twice: bad tokens must not make a server a burden to its issuer. A token of a
// key that was published since is refused until then; issuers publish keys well before they use them.
const pause = 5 * time.Second

var (
	errPause      = errors.New("asked a moment ago")
	errReadOfLate = fmt.Errorf("%w: what was read is as good as new", errPause)
)

// paced reads each address at most once in a pause, and not more of it than anybody publishes. In between it says
// whether it was read.
type paced struct {
	http.RoundTripper
	now func() time.Time

	mu   sync.Mutex       // guards the field below
	last map[string]visit // by address, of which an issuer has a handful
}

type visit struct {
	at   time.Time
	read bool
}

func newPaced(next http.RoundTripper, now func() time.Time) *paced {
	return &paced{RoundTripper: next, now: now, last: map[string]visit{}}
}

// most is the size in bytes of what is read of a document.
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
	case !ok || now.Sub(v.at) >= pause:
		p.last[address] = visit{at: now}
		return nil
	case v.read:
		return errReadOfLate
	}
	return errPause
}

func (p *paced) done(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[address] = visit{at: p.last[address].at, read: true}
}
