package doctor

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// addressTimeout is the time that the server at a URL has to answer.
const addressTimeout = 3 * time.Second

// examineAddress examines an entry with a URL. It sends a client's first requests to the server, because a proxy may
// refuse other requests. Where is the text that names the entry in the finding.
func (in *installation) examineAddress(ctx context.Context, e installed.ServerEntry, where string) Finding {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return failure(aboutNetwork, "%s: the address in %s is none", where, e.Path).withCommand(in.rewriteEntryCommand(e))
	}
	trial := in.newTrial(e)
	if trial.Token = in.Machine.Getenv(e.TokenEnv); e.TokenEnv == "" {
		trial.Token = literalToken(e.Authorization)
	}
	brief, end := context.WithTimeout(ctx, addressTimeout)
	defer end()
	reply, err := trial.Ask(brief)
	ask := "curl -i " + shell.Quote(u.Scheme+"://"+u.Host+"/readyz")
	switch {
	case e.TokenEnv != "" && trial.Token == "" && (err == nil || errors.Is(err, live.ErrRefused)):
		return warning(aboutNetwork, "%s: %s is not set here, and has to be where the client is started", where, e.TokenEnv).
			withCommand(readTokenCommand(e.TokenEnv))
	case errors.Is(err, live.ErrRefused):
		return in.tokenRefusedFinding(e, u, where, trial.Token)
	case live.IsUntrusted(err):
		return failure(aboutNetwork, "%s: the certificate of %s is not trusted here: put it into FILE, and name that where the client starts",
			where, u.Host).withCommand(in.client.TrustCommand())
	case isUnreachable(err):
		return failure(aboutNetwork, "%s: no server answers at %s: %v: handoff serve --http starts one, on that machine",
			where, u.Host, removeURL(err)).withCommand(ask)
	case err != nil:
		return failure(aboutNetwork, "%s: %s does not answer as a server of handoff: %v", where, u.Host, removeURL(err)).withCommand(ask)
	}
	return ok(aboutNetwork, "%s: %s answers, with %s", where, u.Host, schemas.CountNoun(reply.Tools, "tool"))
}

// tokenRefusedFinding returns the finding that a server needs a token, or refuses the token of the entry. The remedy
// omits a URL that may contain a secret.
func (in *installation) tokenRefusedFinding(e installed.ServerEntry, u *url.URL, where, token string) Finding {
	const unknown = "%s: %s wants a token that it knows: handoff token add makes one where it runs"
	switch secret := u.User != nil || u.RawQuery != "" || u.Fragment != ""; {
	case token == "" && e.Authorization != "":
		return skipped(aboutNetwork, "%s: %s wants a token, and that in %s is for the client to find", where, u.Host, e.Path)
	case e.TokenEnv != "":
		return failure(aboutNetwork, unknown, where, u.Host).withCommand(readTokenCommand(e.TokenEnv))
	case secret:
		return failure(aboutNetwork, unknown, where, u.Host).withCommand(in.setupCommand(e.Scope, "--print"))
	}
	return failure(aboutNetwork, unknown, where, u.Host).
		withCommand(in.setupCommand(e.Scope, "--http", shell.Quote(e.URL), "--token-env HANDOFF_TOKEN"))
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
