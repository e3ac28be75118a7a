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
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/shell"
)

// examineAddress examines an entry with a URL. It asks what a client asks first, as a proxy may pass nothing else.
func (in *installation) examineAddress(ctx context.Context, e installed.Entry, where string) Finding {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return failure(aboutNetwork, "%s: the address in %s is none", where, e.Path).try(in.mend(e))
	}
	token, written := in.Machine.Getenv(e.TokenEnv), e.Authorization
	if e.TokenEnv == "" {
		token = literalToken(written)
	}
	brief, end := context.WithTimeout(ctx, reaching)
	defer end()
	trial := in.trial(e)
	trial.Token = token
	reply, err := trial.Ask(brief)
	switch {
	case errors.Is(err, live.ErrRefused) && token == "" && e.TokenEnv == "" && written != "":
		return skipped(aboutNetwork, "%s: %s wants a token, and that in %s is for the client to find", where, u.Host, e.Path)
	case errors.Is(err, live.ErrRefused), err == nil && e.TokenEnv != "" && token == "":
		return in.refused(e, u, where, token)
	case err != nil:
		found := in.silence(ctx, u, err)
		found.Message = where + ": " + found.Message
		return found
	}
	return ok(aboutNetwork, "%s: %s answers, with %s", where, u.Host, counted(reply.Tools, "tool"))
}

// refused explains why a server wants another token, or wants one at all.
func (in *installation) refused(e installed.Entry, u *url.URL, where, token string) Finding {
	switch {
	case e.TokenEnv != "" && token == "":
		return warning(aboutNetwork, "%s: %s is not set here, and has to be where the client is started", where, e.TokenEnv).
			try(typed(e.TokenEnv))
	case token == "":
		return failure(aboutNetwork, "%s: %s wants a token, and %s names none", where, u.Host, e.Path).try(in.nameToken(e, u))
	}
	found := failure(aboutNetwork, "%s: %s does not take the token in %s: handoff token add makes one where it runs",
		where, u.Host, cmp.Or(e.TokenEnv, e.Path))
	if e.TokenEnv != "" {
		return found.try(typed(e.TokenEnv))
	}
	return found.try(in.nameToken(e, u))
}

// typed is the command that reads a token from the keyboard into a variable, and leaves no trace of it.
func typed(variable string) string { return "read -rs " + variable + " && export " + variable }

// tokenEnv is the variable that holds a token if nobody named another.
const tokenEnv = "HANDOFF_TOKEN"

// nameToken is the command after which an entry names a variable with the token. Setup writes no address with a
// secret in it; such an entry is taken out.
func (in *installation) nameToken(e installed.Entry, u *url.URL) string {
	if e.Scope == installed.Local || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return in.removal(e)
	}
	desired := in.desired(e.Scope)
	desired.Server = client.Server{URL: e.URL, TokenEnv: tokenEnv, Agent: e.Agent, Trust: desired.Server.Trust}
	if change, ok := in.planned(desired, e.Path); !ok || change.Err != nil {
		return in.removal(e)
	}
	flags := []string{"--http", shell.Quote(e.URL), "--token-env", tokenEnv}
	if e.Agent != "" {
		flags = append(flags, "--agent", shell.Quote(e.Agent))
	}
	return in.setup(e.Scope, append(flags, "--yes")...)
}

// literalToken is the token that a header has in plain text; empty if the client is to put it there.
func literalToken(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.ContainsAny(token, "${") {
		return ""
	}
	return strings.TrimSpace(token)
}

// silence explains why a server did not answer over MCP. Its health says more, where it can be asked for it.
func (in *installation) silence(ctx context.Context, u *url.URL, why error) Finding {
	site := u.Scheme + "://" + u.Host
	status, err := get(ctx, site+"/healthz", in.Web)
	if isUnreached(err) && isUnreached(why) {
		advice := ""
		if !isHere(u.Hostname()) {
			advice = ": handoff serve --http starts one, on that machine"
		}
		return failure(aboutNetwork, "no server answers at %s: %s%s", site, reason(0, why), advice).
			try(starting(site, u, in.Shell))
	}
	if err == nil && status == http.StatusOK {
		if status, err := get(ctx, site+"/readyz", in.Web); err != nil || status != http.StatusOK {
			return failure(aboutNetwork, "the server at %s cannot do its work: %s", site, reason(status, err)).
				try(ask(site, "/readyz"))
		}
	}
	return failure(aboutNetwork, "%s does not answer as a server of handoff: %s", u.Host, reason(0, why)).
		try(ask(site, u.EscapedPath()))
}

// reaching is how long a server elsewhere may take to answer.
const reaching = 3 * time.Second

// ask is the command that shows what a server says at a path.
func ask(site, path string) string { return "curl -i " + shell.Quote(site+path) }

// starting is the command that starts the server of an address. A server on another machine can only be asked, and
// for one with a certificate the command is not known here.
func starting(site string, u *url.URL, sh Shell) string {
	if u.Scheme != "http" || !isHere(u.Hostname()) {
		return ask(site, "/healthz")
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
