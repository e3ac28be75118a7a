package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// sharedKeySet returns the issuer's keys. If the keys are not known, one caller asks the issuer for the address of the
// keys. Other callers wait for the same result, even if it is an error.
func (i *Issuer) sharedKeySet(ctx context.Context) (oidc.KeySet, error) {
	select {
	case i.lock <- struct{}{}:
		defer func() { <-i.lock }()
	case <-ctx.Done():
		return nil, i.unavailableError(ctx, ctx.Err())
	}
	switch {
	case i.keys != nil:
		return i.keys, nil
	case i.Now().Sub(i.failed) < readInterval: // waiting callers share this result
		return nil, i.unavailableError(ctx, errTooSoon)
	}
	whole := context.WithoutCancel(ctx) // the result is for all callers
	address, err := i.discoverKeyAddress(whole)
	if err != nil {
		i.failed = i.Now()
		return nil, i.unavailableError(ctx, err)
	}
	i.keys = oidc.NewRemoteKeySet(oidc.ClientContext(whole, i.client), address)
	return i.keys, nil
}

// discoverKeyAddress returns the address of the issuer's keys. It reads the document of RFC 8414, or the document of
// OpenID Connect if the first is missing. The address of the OpenID Connect document has the well-known name before or
// after the path of the issuer, and discoverKeyAddress tries both addresses.
func (i *Issuer) discoverKeyAddress(ctx context.Context) (string, error) {
	var all error
	for _, address := range documentAddresses(i.URL) {
		keys, err := i.readDocument(ctx, address)
		if err == nil {
			return keys, nil
		}
		all = errors.Join(all, err)
	}
	return "", all
}

func documentAddresses(issuer string) []string {
	return slices.Compact([]string{
		wellKnownAddress(issuer, "oauth-authorization-server"),
		wellKnownAddress(issuer, "openid-configuration"),
		strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration",
	})
}

// wellKnownAddress puts "/.well-known/" and a name between the host and the path of an address, as RFC 8414 and RFC
// 9728 require.
func wellKnownAddress(address, name string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.Path = "/.well-known/" + name + strings.TrimSuffix(u.Path, "/")
	u.RawPath = ""
	return u.String()
}

// readDocument returns the address of the keys that one document names. It refuses a document of another issuer, and an
// address of keys that [checkAddress] refuses.
func (i *Issuer) readDocument(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := i.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", address, resp.Status)
	}
	var document struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&document); err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	if document.Issuer != i.URL {
		return "", fmt.Errorf("%s is about the issuer %q, not %q", address, document.Issuer, i.URL)
	}
	if err := checkAddress(document.Keys); err != nil {
		return "", fmt.Errorf("%s: jwks_uri: %w", address, err)
	}
	return document.Keys, nil
}

// readInterval is the minimum time between two reads of an address, so that bad tokens cannot make the server send many
// requests to the issuer. The server refuses a token whose key was published since the last read. This is rare, because
// issuers publish keys long before they use them.
const readInterval = 5 * time.Second

var (
	errTooSoon      = errors.New("asked a moment ago")
	errReadRecently = fmt.Errorf("%w: the last read is still recent", errTooSoon)
)

// pacedTransport reads each address at most once in a readInterval, and at most 1 MiB of the response. If it read the
// address less than a readInterval ago, it does not read again: it returns errReadRecently if that read succeeded, and
// errTooSoon if that read failed.
type pacedTransport struct {
	http.RoundTripper
	now func() time.Time

	mu   sync.Mutex          // guards the field below
	last map[string]lastRead // by address; an issuer has only a few
}

type lastRead struct {
	at   time.Time
	read bool
}

// maxDocument is the limit for reading a document, in bytes.
const maxDocument = 1 << 20

func (p *pacedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	address := r.URL.String()
	if err := p.startRead(address); err != nil {
		return nil, err
	}
	resp, err := p.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		p.recordSuccess(address)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxDocument), resp.Body}
	return resp, nil
}

func (p *pacedTransport) startRead(address string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch v, ok := p.last[address]; {
	case ok && now.Sub(v.at) < readInterval && v.read:
		return errReadRecently
	case ok && now.Sub(v.at) < readInterval:
		return errTooSoon
	}
	p.last[address] = lastRead{at: now}
	return nil
}

func (p *pacedTransport) recordSuccess(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[address] = lastRead{at: p.last[address].at, read: true}
}
