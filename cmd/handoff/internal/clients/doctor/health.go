package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"handoff/cmd/handoff/internal/shell"
)

// reaching is how long a server elsewhere may take to answer.
const reaching = 3 * time.Second

// ready asks a server whether it can do its work.
func ready(ctx context.Context, site string, web *http.Client) Finding {
	if status, err := get(ctx, site+"/readyz", web); err != nil || status != http.StatusOK {
		return failure(aboutNetwork, "the server at %s cannot do its work: %s", site, reason(status, err)).
			try(ask(site, "/readyz"))
	}
	return ok(aboutNetwork, "the server at %s is ready", site)
}

func siteOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// ask is the command that shows what a server says at a path.
func ask(site, path string) string { return "curl -i " + shell.Quote(site+path) }

// starting is the command that starts the server of an address. A server on another machine can only be asked, and
// for one with a certificate the command is not known here.
func starting(u *url.URL, sh Shell) string {
	if u.Scheme != "http" || !isHere(u.Hostname()) {
		return ask(siteOf(u), "/healthz")
	}
	return sh.line("serve --http %s", shell.Quote(net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80"))))
}

// isHere tells whether a host is always this machine.
func isHere(host string) bool {
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// isUnreached tells whether there was no connection, or no answer in time.
func isUnreached(err error) bool {
	broken, ok := errors.AsType[*net.OpError](err)
	return ok && broken.Op == "dial" || errors.Is(err, context.DeadlineExceeded)
}

func reason(status int, err error) string {
	if urlError, ok := errors.AsType[*url.Error](err); ok {
		err = urlError.Err // without the address, which is said
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", status, http.StatusText(status))
}

func get(ctx context.Context, address string, web *http.Client) (status int, err error) {
	ctx, end := context.WithTimeout(ctx, reaching)
	defer end()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	response, err := web.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
