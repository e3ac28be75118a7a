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

// addressTimeout is the time that a server elsewhere has to answer.
const addressTimeout = 3 * time.Second

// examineAddress examines an entry with a URL. It sends the same first requests as a client does, because a proxy in
// between may let only these through.
func (in *installation) examineAddress(ctx context.Context, e installed.ServerEntry, where string) Finding {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return failure(aboutNetwork, "%s: the address in %s is none", where, e.Path).withCommand(in.rewriteCommand(e))
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
		return in.tokenRefused(e, u, where, trial.Token)
	case isUnreachable(err):
		return failure(aboutNetwork, "%s: no server answers at %s: %v: handoff serve --http starts one, on that machine",
			where, u.Host, removeURL(err)).withCommand(ask)
	case err != nil:
		return failure(aboutNetwork, "%s: %s does not answer as a server of handoff: %v", where, u.Host, removeURL(err)).withCommand(ask)
	}
	return ok(aboutNetwork, "%s: %s answers, with %s", where, u.Host, schemas.Counted(reply.Tools, "tool"))
}

// tokenRefused returns the finding that a server demands a token, or refuses the token of the entry. The remedy does not
// contain the address if the address may hold a secret.
func (in *installation) tokenRefused(e installed.ServerEntry, u *url.URL, where, token string) Finding {
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

// readTokenCommand returns a command that reads a token from the keyboard into a variable, and leaves no trace of it.
func readTokenCommand(variable string) string {
	return "read -rs " + variable + " && export " + variable
}

// literalToken returns the token that a header has in plain text; empty if the client inserts it.
func literalToken(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.ContainsAny(token, "${") {
		return ""
	}
	return strings.TrimSpace(token)
}

// isUnreachable reports whether there was no connection, or no answer in time.
func isUnreachable(err error) bool {
	broken, ok := errors.AsType[*net.OpError](err)
	return ok && broken.Op == "dial" || errors.Is(err, context.DeadlineExceeded)
}

// removeURL removes the address from an error. The finding names the host, and the address may hold a secret.
func removeURL(err error) error {
	if urlError, ok := errors.AsType[*url.Error](err); ok {
		return urlError.Err
	}
	return err
}
