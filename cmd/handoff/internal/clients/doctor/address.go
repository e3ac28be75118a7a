package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// tryAddress calls the server at the URL of an entry. It sends a client's first requests, because a proxy may refuse
// other requests. Where is the text that names the entry in the finding. A remedy omits a URL that may contain a secret.
func (in *installation) tryAddress(
	ctx context.Context, e installed.ServerEntry, where string, trial live.Trial,
) (reply live.ServerReply, _ Finding) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return reply, failure(aboutNetwork, "%s: the address in %s is none", where, e.Path).withCommand(in.rewriteEntryCommand(e))
	}
	if trial.Token = in.Machine.Getenv(e.TokenEnv); e.TokenEnv == "" {
		trial.Token = literalToken(e.Authorization)
	} else if trial.Token == "" {
		return reply, warning(aboutNetwork, "%s: %s is not set here, and has to be where the client is started", where, e.TokenEnv).
			withCommand(readTokenCommand(e.TokenEnv))
	}
	if reply, err = trial.Ask(ctx); err == nil {
		return reply, ok(aboutNetwork, "%s: %s answers, with %s", where, u.Host, schemas.CountNoun(reply.Tools, "tool"))
	}
	says, remedy := fmt.Sprintf("%s does not answer as a server of handoff: %v", u.Host, removeURL(err)),
		"curl -i "+shell.Quote(u.Scheme+"://"+u.Host+"/readyz")
	switch refused := errors.Is(err, live.ErrRefused); {
	case refused && trial.Token == "" && e.Authorization != "":
		return live.ServerReply{}, skipped(aboutNetwork, "%s: %s wants a token, and that in %s is for the client to find", where, u.Host, e.Path)
	case refused:
		wanted := "a token that it knows"
		if e.Agent != "" {
			wanted += ", and that may act as " + e.Agent
		}
		says, remedy = fmt.Sprintf("%s wants %s: handoff token add makes one where it runs", u.Host, wanted), in.giveTokenCommand(e, u)
	case live.IsUntrusted(err):
		says = "the certificate of " + u.Host + " is not trusted here: put it into FILE, and name that where the client starts"
		remedy = in.client.TrustCommand()
	case isUnreachable(err):
		says = fmt.Sprintf("no server answers at %s: %v: handoff serve --http starts one, on that machine", u.Host, removeURL(err))
	}
	return live.ServerReply{}, failure(aboutNetwork, "%s: %s", where, says).withCommand(remedy)
}

// giveTokenCommand returns the command that gives another token to an entry.
func (in *installation) giveTokenCommand(e installed.ServerEntry, u *url.URL) string {
	switch {
	case e.TokenEnv != "":
		return readTokenCommand(e.TokenEnv)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return in.setupCommand(e.Scope, "--print")
	}
	return in.setupCommand(e.Scope, "--http", shell.Quote(e.URL), "--token-env HANDOFF_TOKEN")
}

// readTokenCommand returns a shell command that reads a token from the keyboard into a variable, without showing or
// storing it.
func readTokenCommand(variable string) string {
	return "read -rs " + variable + " && export " + variable
}

// literalToken returns the token that stands in plain text in a header. It returns "" if the header names a variable,
// which the client replaces by the token.
func literalToken(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.ContainsAny(token, "${") {
		return ""
	}
	return strings.TrimSpace(token)
}

// isUnreachable reports whether err says that the connection failed, or that no answer came in time.
func isUnreachable(err error) bool {
	broken, ok := errors.AsType[*net.OpError](err)
	return ok && broken.Op == "dial" || errors.Is(err, context.DeadlineExceeded)
}

// removeURL removes the URL from an error, because the URL may contain a secret. The finding names only the host.
func removeURL(err error) error {
	if urlError, ok := errors.AsType[*url.Error](err); ok {
		return urlError.Err
	}
	return err
}
