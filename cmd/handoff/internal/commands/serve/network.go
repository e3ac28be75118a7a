package serve

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"net/url"

	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/web"
	"handoff/mcp/auth"
	"handoff/schemas"
)

// network are the flags of serve about agents on other machines. Without an address there are none.
type network struct {
	addr, cert, key           string
	insecure                  bool
	hosts, origins            []string
	issuer, audience, agentIn string
	rate                      float64
	pending                   int
}

func (n *network) bind(flags *pflag.FlagSet) {
	flags.StringVar(&n.addr, "http", "", "serve agents over HTTP too, at this `address`, as 127.0.0.1:4263")
	flags.StringVar(&n.cert, "tls-cert", "", "certificate `file`, PEM; read again when it changes")
	flags.StringVar(&n.key, "tls-key", "", "`file` of its key, PEM")
	flags.BoolVar(&n.insecure, "insecure", false, "serve other addresses than loopback without TLS")
	flags.StringSliceVar(&n.hosts, "host", nil, "further `name` by which clients reach this server")
	flags.StringSliceVar(&n.origins, "origin", nil, "`origin` of web pages that may call, as https://example.com")
	flags.StringVar(&n.issuer, "oauth-issuer", "", "accept access tokens of this issuer, by its `URL`")
	flags.StringVar(&n.audience, "oauth-audience", "", "what they have to be for: the `URL` of this server, with /mcp")
	flags.Float64Var(&n.rate, "token-rate", 50, "requests a second of a token that says nothing else")
	flags.IntVar(&n.pending, "oauth-pending", 0,
		"handoffs sent with an access token that may be pending, 0 for any number")
	flags.StringVar(&n.agentIn, "oauth-agents-claim", "handoff_agents", "`claim` that names the agents of an access token")
	cli.FromEnvironment(flags)
}

// check says what is wrong with the flags together.
func (n *network) check(given *pflag.FlagSet) error {
	if n.addr == "" {
		return n.idle(given)
	}
	switch {
	case !(n.rate > 0) || math.IsInf(n.rate, 0): // also for what is no number
		return schemas.Invalidf("--token-rate", "%v is no number of requests a second", n.rate).
			WithHint("Give a number above zero.")
	case n.pending < 0:
		return schemas.Invalidf("--oauth-pending", "%d is no number of handoffs", n.pending).
			WithHint("Give 0 for any number.")
	case n.issuer == "" && (n.audience != "" || given.Changed("oauth-pending") || given.Changed("oauth-agents-claim")):
		return schemas.Invalidf("--oauth-issuer", "there is no issuer whose tokens this would be about").
			WithHint("Give --oauth-issuer URL too, or none of the flags that begin with --oauth.")
	case n.issuer != "" && !isURL(n.audience):
		return schemas.Invalidf("--oauth-audience", "%q is not the URL of this server", schemas.Visible(n.audience)).
			WithHint("Give it as clients know it, such as https://handoff.example.com/mcp.")
	}
	return nil
}

// idle refuses flags that do nothing without an address.
func (n *network) idle(given *pflag.FlagSet) (err error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(network).bind(own)
	own.VisitAll(func(f *pflag.Flag) {
		if given.Changed(f.Name) && err == nil {
			err = schemas.Invalidf("--"+f.Name, "nothing is served over HTTP").
				WithHint("Give an address too, as --http 127.0.0.1:4263.")
		}
	})
	return err
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// oauth gives who checks access tokens; nil when there is no issuer.
func (n *network) oauth(a *cli.App, log *slog.Logger) (*auth.Issuer, error) {
	if n.issuer == "" {
		return nil, nil
	}
	issuer, err := auth.NewIssuer(auth.IssuerConfig{
		URL: n.issuer, Audience: n.audience, AgentsClaim: n.agentIn, Pending: n.pending, Now: a.Now, Logger: log,
	})
	if err != nil {
		return nil, schemas.Invalidf("--oauth-issuer", "%w", err).
			WithHint("Give the URL that is iss in its tokens, such as https://login.example.com.")
	}
	return issuer, nil
}

// metadata says where access tokens come from, for clients that have none; nil when there is no issuer.
func (n *network) metadata() (handler http.Handler, at string) {
	if n.issuer == "" {
		return nil, ""
	}
	return auth.Metadata(n.audience, n.issuer), auth.MetadataURL(n.audience)
}

// site is what listens.
func (n *network) site(ctx context.Context, c web.Config) (*web.Server, error) {
	c.Addr, c.Cert, c.Key, c.Insecure, c.Hosts, c.Origins = n.addr, n.cert, n.key, n.insecure, n.hosts, n.origins
	return web.Listen(ctx, c)
}
