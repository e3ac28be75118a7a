package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/live"
)

// reaching is how long a server elsewhere may take to answer.
const reaching = 3 * time.Second

// Network examines the server that handoff serve --http listens with, by what HANDOFF_HTTP says: an address, or a URL.
func Network(ctx context.Context, served string, web *http.Client) []Finding {
	if served == "" {
		return nil
	}
	if !strings.Contains(served, "://") {
		served = "http://" + served
	}
	u, err := url.Parse(served)
	if err != nil || u.Host == "" {
		return []Finding{failure(aboutNetwork, "HANDOFF_HTTP is no address").remedied("export HANDOFF_HTTP=127.0.0.1:4263")}
	}
	return []Finding{health(ctx, u, web)}
}

// health asks a server whether it is there and can do its work.
func health(ctx context.Context, u *url.URL, web *http.Client) Finding {
	site := u.Scheme + "://" + u.Host
	if status, err := get(ctx, site+"/healthz", web); err != nil || status != http.StatusOK {
		return warning(aboutNetwork, "no server answers at %s: %s", site, reason(status, err)).remedied("handoff serve --http %s", client.Quoted(u.Host))
	}
	if status, err := get(ctx, site+"/readyz", web); err != nil || status != http.StatusOK {
		return failure(aboutNetwork, "the server at %s cannot do its work: %s", site, reason(status, err)).remedied("curl %s/readyz", site)
	}
	return ok(aboutNetwork, "the server at %s is ready", site)
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

// address examines an entry that leads over the network.
func (in *installation) address(ctx context.Context, e entry, b Bench, where string) Finding {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return failure(aboutNetwork, "%s: the address in %s is none", where, e.path).remedied("%s", in.again(e))
	}
	if found := health(ctx, u, b.Web); found.State != OK {
		found.State, found.Message = Error, where+": "+found.Message
		return found
	}
	token := b.Machine.Getenv(e.TokenEnv)
	if e.TokenEnv != "" && token == "" {
		return warning(aboutNetwork, "%s: %s is not set here, and has to be where the client is started", where, e.TokenEnv).remedied("export %s=TOKEN", e.TokenEnv)
	}
	ctx, end := context.WithTimeout(ctx, reaching)
	defer end()
	answer, err := live.Address{URL: e.URL, Token: token, Agent: e.Agent, As: in.client.Calls, HTTP: b.Web}.Ask(ctx)
	switch {
	case errors.Is(err, live.ErrRefused):
		return failure(aboutNetwork, "%s: %s does not take the token", where, u.Host).remedied("handoff token add NAME --agents %s", in.client.Name)
	case err != nil:
		return failure(aboutNetwork, "%s: %s does not answer as a server of handoff: %s", where, u.Host, reason(0, err)).remedied("curl %s://%s/readyz", u.Scheme, u.Host)
	}
	return ok(aboutNetwork, "%s: %s answers, with %s", where, u.Host, counted(answer.Tools, "tool"))
}
