package auth_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
	"handoff/schemas"
)

// countAcceptedRequests counts the accepted requests until the first refused one.
func countAcceptedRequests(w *world, r *http.Request, reason auth.RefusalReason) (n int, refused *schemas.Error) {
	w.Helper()
	for before := w.denied[reason]; ; n++ {
		require.Less(w, n, 10_000, "nothing limits it")
		_, err := w.Caller(r)
		if w.denied[reason] > before {
			return n, schemas.AsError(err)
		}
	}
}

func TestRateLimit_LimitsRequestsOfToken(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("slow", 1, func(in *schemas.TokenAddIn) { in.Rate = 0.5 })
	n, e := countAcceptedRequests(w, remoteRequest(t, secret), auth.Rate)
	require.Equal(t, 20, n)
	require.Equal(t, schemas.Limit, e.Code)
	require.Equal(t, "token slow may make 0.5 requests a second", e.Message)
	require.Equal(t, 2, e.RetryAfter)
	require.Equal(t, "Try again in 2 seconds.", e.Hint)

	w.passTime(2*time.Second - 1)
	w.requireRefused(remoteRequest(t, secret), auth.Rate, "token slow")
	w.passTime(1)
	w.requireAccepted(remoteRequest(t, secret))
}

func TestRateLimit_AppliesToEachToken(t *testing.T) {
	w := newWorld(t)
	one, two := w.addToken("one", 1), w.addToken("two", 2)
	n, e := countAcceptedRequests(w, remoteRequest(t, one), auth.Rate)
	require.Equal(t, 100, n, "two seconds of the default")
	require.Equal(t, "token one may make 50 requests a second", e.Message)
	require.Equal(t, 1, e.RetryAfter)
	n, _ = countAcceptedRequests(w, remoteRequest(t, two), auth.Rate)
	require.Equal(t, 100, n)
}

func TestRateLimit_IgnoresLocalCallersWithoutToken(t *testing.T) {
	w := newWorld(t)
	for range 1000 {
		w.requireAccepted(localRequest(t))
	}
}

// requestFrom returns a request from an address, with a token.
func requestFrom(t *testing.T, remote, token string) *http.Request {
	r := remoteRequest(t, token)
	r.RemoteAddr = remote
	return r
}

func TestBadTokens_AreLimitedPerAddress(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("ci", 1)

	n, e := countAcceptedRequests(w, requestFrom(t, "192.0.2.7:2", secretOf(9)), auth.Rate)
	require.Equal(t, 20, n)
	require.Equal(t, 20, w.denied[auth.Unknown])
	require.Equal(t, schemas.Limit, e.Code)
	require.Equal(t, 1, e.RetryAfter)
	w.requireRefused(requestFrom(t, "192.0.2.7:3", secretOf(10)), auth.Rate, "too many bad tokens from this address")
	w.requireRefused(requestFrom(t, "[::ffff:192.0.2.7]:3", secretOf(10)), auth.Rate, "too many bad tokens from this address")

	w.requireAccepted(requestFrom(t, "192.0.2.7:4", secret)) // the token was never used before
	w.requireRefused(requestFrom(t, "192.0.2.8:1", secretOf(9)), auth.Unknown, "nobody")
	w.passTime(100 * time.Millisecond)
	w.requireRefused(requestFrom(t, "192.0.2.7:5", secretOf(9)), auth.Unknown, "nobody")
	w.requireRefused(requestFrom(t, "192.0.2.7:5", secretOf(9)), auth.Rate, "too many")
}

func TestBadTokens_AreCountedPerIPv6Network(t *testing.T) {
	w := newWorld(t)
	guess := func(i int) error {
		_, err := w.Caller(requestFrom(t, fmt.Sprintf("[2001:db8::%x]:1", i), secretOf(9)))
		return err
	}
	for i := range 20 {
		require.Equal(t, schemas.Denied, schemas.AsError(guess(i)).Code)
	}
	require.Equal(t, schemas.Limit, schemas.AsError(guess(20)).Code)
	w.requireRefused(requestFrom(t, "[2001:db8:0:1::1]:1", secretOf(9)), auth.Unknown, "nobody")
}

func TestBadTokens_IncludeRevokedToken(t *testing.T) {
	w := newWorld(t)
	secret := w.addToken("ci", 1)
	w.requireAccepted(remoteRequest(t, secret))
	var out schemas.TokenRevokeOut
	w.callTool("token_revoke", schemas.TokenRevokeIn{Name: "ci"}, &out)
	_, e := countAcceptedRequests(w, remoteRequest(t, secret), auth.Rate)
	require.Equal(t, "too many bad tokens from this address", e.Message)
	require.Equal(t, 20, w.denied[auth.Revoked])
}

// All callers behind one proxy have the same address, and a caller gets a new access token at each refresh. So neither
// the address nor the token identifies a known caller.
func TestBadTokens_DoNotBlockGoodTokensOfSameAddress(t *testing.T) {
	o := startTestIssuer(t)
	w := newWorldWithIssuer(t, o)
	k := o.publish("1", jose.ES256)
	good := func(who int) string {
		return o.sign(k, "", o.claims(map[string]any{"sub": fmt.Sprint("user-", who)}))
	}
	bad := good(99)
	bad = bad[:len(bad)-8] + "AAAAAAAA"
	for second := range 10 {
		for range 30 {
			_, err := w.Caller(requestFrom(t, "192.0.2.7:2", bad))
			require.Error(t, err)
		}
		w.requireRefused(requestFrom(t, "192.0.2.7:2", bad), auth.Rate, "too many")
		w.requireRefused(requestFrom(t, "192.0.2.7:2", secretOf(99)), auth.Rate, "too many")
		w.requireAccepted(requestFrom(t, "192.0.2.7:3", good(second)))
		w.requireAccepted(requestFrom(t, "192.0.2.7:3", w.addToken(fmt.Sprint("new-", second), byte(second))))
		w.passTime(time.Second)
	}
	require.LessOrEqual(t, o.requestCount("/keys"), 3, "bad tokens do not make the server read keys more often than in five seconds")
}
