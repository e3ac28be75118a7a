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

	"handoff/schemas"
)

// IssuerConfig wires an [Issuer]. URL, Audience and Now are required.
type IssuerConfig struct {
	URL      string // exactly as the issuer writes it in the claim iss
	Audience string // what the claim aud must contain: this server, as the issuer knows it

	// AgentsClaim names the claim that lists the agents a token may act as, the usual one first, as an array or
	// as words. Default "handoff_agents".
	AgentsClaim string

	Pending int // how many handoffs sent with a token may be pending at a time, zero for any number

	Client *http.Client // reads what the issuer publishes; default: one that gives up after 5 seconds
	Now    func() time.Time
	Logger *slog.Logger // told why the issuer could not be read; default: discards
}

// Issuer checks access tokens that an OAuth issuer signed. What the issuer publishes about itself (RFC 8414, or the
// discovery of OpenID Connect) is read when the first token comes, and with later ones until it could be; its keys are read when a token names one that
// is not known, which is how they are rotated. Known keys go on being good while the issuer is down.
type Issuer struct {
	IssuerConfig
	client *http.Client

	turn   chan struct{} // whoever puts one in guards the fields below, until taking it out
	keys   oidc.KeySet   // nil until the issuer was read
	failed time.Time     // when it could not be read last
}

// NewIssuer reads nothing yet, so that a server starts while its issuer is down. It says what is wrong with c.
func NewIssuer(c IssuerConfig) (*Issuer, error) {
	if err := trusted(c.URL); err != nil {
		return nil, err
	}
	if c.Audience == "" {
		return nil, errors.New("no audience: any token of the issuer would do, whatever it is for")
	}
	c.AgentsClaim = cmp.Or(c.AgentsClaim, "handoff_agents")
	if c.Client == nil {
		c.Client = &http.Client{Timeout: 5 * time.Second}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	patient := *c.Client
	patient.Transport = newPaced(cmp.Or(patient.Transport, http.DefaultTransport), c.Now)
	return &Issuer{IssuerConfig: c, client: &patient, turn: make(chan struct{}, 1)}, nil
}

// trusted tells what is wrong with an address whose answers decide who is let in.
func trusted(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%q is not the address of an issuer, such as https://login.example.com", address)
	case u.Scheme == "https" || u.Scheme == "http" && onlyHere(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%q is not https: who listens in between could let anybody in", address)
}

func onlyHere(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// asymmetric are the algorithms whose keys may be published. With any other, who can check a token can make one.
func asymmetric() []string {
	return []string{
		oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512,
		oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
	}
}

// caller gives who an access token is for, under its usual name.
func (i *Issuer) caller(ctx context.Context, bearer string) (schemas.Caller, error) {
	if !compact(bearer) {
		return schemas.Caller{}, refuse(JWT, "the bearer is neither a token of handoff nor a JSON Web Token")
	}
	keys, err := i.keySet(ctx)
	if err != nil {
		return schemas.Caller{}, err
	}
	// The library's check of times allows five minutes, and its errors have no types: what it would check after
	// the signature is checked in claims.go.
	asked := &asked{KeySet: keys}
	verifier := oidc.NewVerifier(i.URL, asked, &oidc.Config{
		SupportedSigningAlgs: asymmetric(),
		SkipIssuerCheck:      true, SkipClientIDCheck: true, SkipExpiryCheck: true,
	})
	token, err := verifier.Verify(ctx, bearer)
	switch {
	case asked.unread != nil:
		return schemas.Caller{}, i.unavailable(ctx, asked.unread)
	case err != nil:
		return schemas.Caller{}, refuse(JWT, "the token is not signed by its issuer")
	}
	return i.admit(bearer, token)
}

// asked is the keys as one token needed them.
type asked struct {
	oidc.KeySet
	unread error // why they could not be read
}

func (a *asked) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := a.KeySet.VerifySignature(ctx, jwt)
	if err != nil && !errors.Is(err, errReadOfLate) {
		a.unread = errors.Unwrap(err) // only reading keys has a cause: a bad signature has none
	}
	return payload, err
}

// unavailable tells the caller that it is not to blame, and the log what is.
func (i *Issuer) unavailable(ctx context.Context, cause error) error {
	if !errors.Is(cause, errPause) {
		i.Logger.WarnContext(ctx, "issuer not read", slog.String("issuer", i.URL), slog.Any("cause", cause))
	}
	return schemas.Errorf(schemas.Unavailable, "tokens cannot be checked: their issuer does not answer").
		WithHint("Try again in %d seconds.", int(pause.Seconds())).After(pause)
}
