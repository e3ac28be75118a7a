package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"handoff/schemas"
)

// IssuerConfig wires an [Issuer]. URL, Audience and Now are required.
type IssuerConfig struct {
	URL      string // exactly as the issuer writes it in the claim iss
	Audience string // the value that the claim aud must have: the name of this server at the issuer

	// AgentsClaim is the name of the claim that lists the agents that a token may act as, the default agent first. The
	// claim is an array of strings, or one string of words. Default "handoff_agents".
	AgentsClaim string

	Pending int // limit of pending handoffs sent with a token; zero: no limit

	Client *http.Client // for the documents of the issuer; default: a client with a timeout of 5 seconds
	Now    func() time.Time
	Logger *slog.Logger // of failures to read from the issuer; default: discards
}

// Issuer checks access tokens that an OAuth issuer signed. It reads the issuer's document when the first token comes.
// After a failure, it tries again when the next token comes. It reads the issuer's keys again when a token names an
// unknown key, because issuers change their keys. It reads each address at most once in 5 seconds. Known keys stay
// valid while the issuer is down. Issuer is safe for use by many goroutines.
type Issuer struct {
	IssuerConfig
	client *http.Client

	lock   chan struct{} // guards the fields below: held by the caller that has put a value in
	keys   oidc.KeySet   // nil until the issuer was read
	failed time.Time     // time of the last failed attempt to read the issuer
}

// NewIssuer returns an issuer. It reads nothing yet, so a server can start while its issuer is down. The error
// describes an invalid setting in c.
func NewIssuer(c IssuerConfig) (*Issuer, error) {
	if err := checkAddress(c.URL); err != nil {
		return nil, err
	}
	if c.Audience == "" {
		return nil, errors.New("no audience: every token of the issuer would be accepted, for any purpose")
	}
	c.AgentsClaim = cmp.Or(c.AgentsClaim, "handoff_agents")
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	client := *cmp.Or(c.Client, &http.Client{Timeout: 5 * time.Second})
	client.Transport = &pacedTransport{
		RoundTripper: cmp.Or(client.Transport, http.DefaultTransport), now: c.Now, last: map[string]lastRead{},
	}
	return &Issuer{IssuerConfig: c, client: &client, lock: make(chan struct{}, 1)}, nil
}

// checkAddress returns an error for an address on another machine without https, because an attacker on the network
// could answer in place of the issuer.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%q is not the address of an issuer, such as https://login.example.com", address)
	case u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%q is not https: an attacker on the network could let anyone in", address)
}

// IsLoopback reports whether a host is this machine, by its name or its address.
func IsLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// asymmetric lists the algorithms whose keys may be published. With a symmetric algorithm, a program that can check a
// token can also make one.
var asymmetric = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// callerOfBearer returns the caller of an access token, with the first agent that the token may act as. It checks the
// algorithm before the signature, as [oidc.RemoteKeySet] requires. It does not use the verifier of that package, which
// is made for ID tokens. For a doubtful token it does not read unknown keys.
func (i *Issuer) callerOfBearer(ctx context.Context, bearer string, doubtful bool) (schemas.Caller, error) {
	if !isCompactJWT(bearer) {
		return schemas.Caller{}, newTokenRefusal(JWT, "", "the bearer is neither a token of handoff nor a JSON Web Token")
	}
	keys, err := i.sharedKeySet(ctx)
	if err != nil {
		return schemas.Caller{}, err
	}
	const forged = "the token is not signed by its issuer"
	token, err := jwt.ParseSigned(bearer, asymmetric)
	if err != nil {
		return schemas.Caller{}, newTokenRefusal(JWT, "", forged)
	}
	if doubtful {
		known, end := context.WithCancel(ctx)
		end()
		ctx = known
	}
	switch _, err := keys.VerifySignature(ctx, bearer); {
	case err == nil:
		return i.callerFromClaims(token)
	case doubtful, errors.Unwrap(err) == nil, errors.Is(err, errReadRecently): // an error of reading wraps its cause
		return schemas.Caller{}, newTokenRefusal(JWT, "", forged)
	}
	return schemas.Caller{}, i.unavailableError(ctx, err)
}

// unavailableError logs the cause and returns an error for the client, which does not contain the cause.
func (i *Issuer) unavailableError(ctx context.Context, cause error) error {
	if !errors.Is(cause, errTooSoon) {
		i.Logger.WarnContext(ctx, "issuer not read", slog.String("issuer", i.URL), slog.Any("cause", cause))
	}
	return schemas.Errorf(schemas.Unavailable, "tokens cannot be checked: their issuer does not answer").
		WithHint("Try again in %s.", schemas.CountNoun(readInterval.Seconds(), "second")).WithRetryAfter(readInterval)
}
