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
	"handoff/cmd/handoff/internal/installed"
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
	return ready(ctx, site, web)
}

func ready(ctx context.Context, site string, web *http.Client) Finding {
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

// examineAddress examines an entry that leads over the network, by what a client asks first: a proxy may pass nothing else.
func (in *installation) examineAddress(ctx context.Context, e installed.Entry, b Bench, where string) Finding {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return failure(aboutNetwork, "%s: the address in %s is none", where, e.Path).remedied("%s", in.again(e))
	}
	token := b.Machine.Getenv(e.TokenEnv)
	asking, end := context.WithTimeout(ctx, reaching)
	defer end()
	answer, err := live.Address{URL: e.URL, Token: token, Agent: e.Agent, As: in.client.Calls, HTTP: b.Web}.Ask(asking)
	refused := errors.Is(err, live.ErrRefused)
	switch {
	case err != nil && !refused:
		found := silence(ctx, u, b.Web, err)
		found.Message = where + ": " + found.Message
		return found
	case e.TokenEnv != "" && token == "":
		return warning(aboutNetwork, "%s: %s is not set here, and has to be where the client is started", where, e.TokenEnv).remedied("export %s=TOKEN", e.TokenEnv)
	case refused:
		return failure(aboutNetwork, "%s: %s does not take the token", where, u.Host).remedied("handoff token add NAME --agents %s", in.client.Name)
	}
	return ok(aboutNetwork, "%s: %s answers, with %s", where, u.Host, counted(answer.Tools, "tool"))
}

// silence explains why a server was asked over MCP in vain. What it says of its health tells more, where it can be asked.
func silence(ctx context.Context, u *url.URL, web *http.Client, why error) Finding {
	site := u.Scheme + "://" + u.Host
	_, unreached := errors.AsType[*url.Error](why)
	status, err := get(ctx, site+"/healthz", web)
	if err != nil && unreached {
		return failure(aboutNetwork, "no server answers at %s: %s", site, reason(0, why)).remedied("handoff serve --http %s", client.Quoted(u.Host))
	}
	if err == nil && status == http.StatusOK {
		if found := ready(ctx, site, web); found.State != OK {
			return found
		}
	}
	return failure(aboutNetwork, "%s does not answer as a server of handoff: %s", u.Host, reason(0, why)).
		remedied("curl -i %s", client.Quoted(site+u.EscapedPath()))
}
