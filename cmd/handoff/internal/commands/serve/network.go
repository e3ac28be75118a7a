package serve

import (
	"log/slog"
	"net/http"
	"net/url"

	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/web"
	"handoff/mcp/auth"
	"handoff/schemas"
)

// networkOptions holds the flags of the command serve for agents on other machines. Without an address to listen at,
// these flags have no effect.
type networkOptions struct {
	site   web.Config        // the listener
	issuer auth.IssuerConfig // the issuer of access tokens
	rate   float64

	store     string // the database of a cluster
	advertise string // the address of this node for the others
}

func (n *networkOptions) defineFlags(flags *pflag.FlagSet) {
	flags.StringVar(&n.site.Addr, "http", "", "serve agents over HTTP too, at this `address`, such as 127.0.0.1:4263")
	flags.StringVar(&n.site.Cert, "tls-cert", "", "certificate `file`, PEM; read again when it changes")
	flags.StringVar(&n.site.Key, "tls-key", "", "`file` of its key, PEM")
	flags.BoolVar(&n.site.Insecure, "insecure", false, "serve other addresses than loopback without TLS")
	flags.StringSliceVar(&n.site.Hosts, "host", nil, "further `name` by which clients reach this server")
	flags.StringVar(&n.issuer.URL, "oauth-issuer", "", "accept access tokens of this issuer, by its `URL`")
	flags.StringVar(&n.issuer.Audience, "oauth-audience", "", "audience of access tokens: the `URL` of this server, with /mcp")
	flags.Float64Var(&n.rate, "token-rate", 50, "requests a second of a token without its own rate")
	flags.IntVar(&n.issuer.Pending, "oauth-pending", 0,
		"handoffs sent with an access token that may be pending, 0 for any number")
	flags.StringVar(&n.issuer.AgentsClaim, "oauth-agents-claim", "handoff_agents", "`claim` that names the agents of an access token")
	flags.StringVar(&n.store, "store", "", "serve all workspaces of this PostgreSQL database, by its `URL`, at /w/NAME/mcp")
	flags.StringVar(&n.advertise, "advertise", "", "`URL` by which the other servers of the database reach this one")
	cli.AllowEnvironment(flags)
}

// checkFlags finds faults in the flags.
func (n *networkOptions) checkFlags(given *pflag.FlagSet, environment func(string) string) error {
	if n.site.Addr == "" {
		return n.refuseUselessFlags(given, environment("HANDOFF_STORE"))
	}
	switch {
	case !(n.rate > 0) || n.rate > 1e9: // also if it is not a number
		return schemas.Invalidf("--token-rate", "%v is no number of requests a second", n.rate).
			WithHint("Give a number above zero, a billion at most.")
	case n.advertise != "" && n.store == "":
		return schemas.Invalidf("--advertise", "there are no other servers without a database").
			WithHint("Give --store URL too.")
	case n.issuer.Pending < 0:
		return schemas.Invalidf("--oauth-pending", "%d is no number of handoffs", n.issuer.Pending).
			WithHint("Give 0 for any number.")
	case n.issuer.URL == "" &&
		(n.issuer.Audience != "" || given.Changed("oauth-pending") || given.Changed("oauth-agents-claim")):
		return schemas.Invalidf("--oauth-issuer", "there is no issuer whose tokens this would be about").
			WithHint("Give --oauth-issuer URL too, or none of the flags that begin with --oauth.")
	case n.issuer.URL != "" && !isURL(n.issuer.Audience):
		return schemas.Invalidf("--oauth-audience", "%q is not the URL of this server", schemas.EscapeHidden(n.issuer.Audience)).
			WithHint("Give it as clients know it, such as https://handoff.example.com/mcp.")
	}
	return n.checkCluster()
}

// refuseUselessFlags refuses flags that have no effect without an address to listen at. It accepts --store if the value
// comes from HANDOFF_STORE. In that case serve keeps one workspace of that database open.
func (n *networkOptions) refuseUselessFlags(given *pflag.FlagSet, database string) (err error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(networkOptions).defineFlags(own)
	own.VisitAll(func(f *pflag.Flag) {
		if given.Changed(f.Name) && (f.Name != "store" || n.store != database) && err == nil {
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

// newTokenVerifier returns the verifier of access tokens, or nil if no issuer of access tokens is configured.
func (n *networkOptions) newTokenVerifier(a *cli.App, log *slog.Logger) (*auth.Issuer, error) {
	if n.issuer.URL == "" {
		return nil, nil
	}
	n.issuer.Now, n.issuer.Logger = a.Now, log
	issuer, err := auth.NewIssuer(n.issuer)
	if err != nil {
		return nil, schemas.Invalidf("--oauth-issuer", "%w", err).
			WithHint("Give the URL that is iss in its tokens, such as https://login.example.com.")
	}
	return issuer, nil
}

// metadataHandler returns the handler that tells clients without an access token where to get one, or nil if no issuer
// is configured.
func (n *networkOptions) metadataHandler() (handler http.Handler, at string) {
	if n.issuer.URL == "" {
		return nil, ""
	}
	return auth.MetadataHandler(n.issuer.Audience, n.issuer.URL), auth.MetadataURL(n.issuer.Audience)
}
