//go:build unix

package network_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// apartKnob in the environment is how often somebody waits while others try to cancel that.
const apartKnob = "HANDOFF_APART"

// sameID is the id of every request that waits, and otherID of those that do not.
const (
	sameID  = 7
	otherID = 8
)

// In TestCancel_OnlyOwnRequests, clients of two tokens wait for mail under the same request id. Other clients try to
// cancel this id in all ways. Each wait must end with its own mail, and each stream must have only messages for its
// client.
func TestCancel_OnlyOwnRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ann, ben := s.token("ann", "ann,anna", "--rate", "100000"), s.token("ben", "ben,bert", "--rate", "100000")
	v := s.serve()
	all := []*party{
		v.party(ann, "ann", older), v.party(ben, "ben", older), v.party(ann, "anna", newer), v.party(ben, "bert", newer),
	}
	var streams sync.WaitGroup
	listening, leave := context.WithCancel(s.ctx)
	defer leave()
	for _, p := range all {
		p.hear(t, listening, &streams)
	}
	each := max(1, many(t, apartKnob, 100)/len(all))
	done := make(chan error, len(all))
	for i, p := range all {
		go func() { done <- p.wait(s.ctx, each, all[(i+1)%len(all)], all) }()
	}
	for range all {
		require.NoError(t, <-done)
	}
	leave()
	streams.Wait()
	heard := 0
	for _, p := range all {
		require.Empty(t, p.foreign, "%s heard what is not its own", p.name)
		require.NotZero(t, p.heard, "%s heard nothing", p.name)
		heard += p.heard
	}
	tries := each * len(all)
	require.EqualValues(t, tries, s.verify().Handoffs)
	t.Logf("%d waits under one id were answered with their mail, among %d cancellations by others; %d notifications came to whom they were for",
		tries, tries*(3*len(all)-len(all)/2), heard)

	all[0].cancelsItself(t)
}

// cancelsItself shows that a session does reach its own requests.
func (p *party) cancelsItself(t *testing.T) {
	t.Helper()
	waiting := make(chan string, 1)
	go func() { waiting <- p.mail(p.v.ctx) }()
	require.Eventually(t, func() bool {
		p.cancel(p.v.ctx)
		select {
		case text := <-waiting:
			require.Empty(t, text, "what was cancelled is not answered")
			return true
		default:
			return false
		}
	}, time.Minute, time.Millisecond, "its own cancellation does not reach it")
}

// A party is a client that waits, and hears of its own inbox.
type party struct {
	*bare
	name    string
	second  *bare // another session of the same token
	heard   int
	foreign []string // messages that it should not have received
}

func (v *server) party(secret, name, era string) *party {
	v.t.Helper()
	under := func(b *bare) { b.header.Set("Handoff-Agent", name) }
	return &party{name: name, bare: v.bare(secret, era).as(under), second: v.bare(secret, era).as(under)}
}

// wait waits for mail so many times. While it does, all others cancel.
func (p *party) wait(ctx context.Context, times int, from *party, all []*party) error {
	for range times {
		got := make(chan string, 1)
		go func() { got <- p.mail(ctx) }()
		for _, other := range all {
			p.attackedBy(ctx, other)
		}
		sent := from.second.ask(ctx, from.call(otherID, "send_handoff", said{"to": p.name, "task": "x", "parent": "none"}))
		a, err := answered(sent)
		var mail schemas.SendOut
		if err != nil || a.Result == nil || json.Unmarshal(a.Result.StructuredContent, &mail) != nil {
			return fmt.Errorf("%s does not send: %q", from.name, sent)
		}
		if err := p.received(ctx, <-got, mail.HandoffID); err != nil {
			return err
		}
	}
	return nil
}

// mail waits for work. A wait that ends with the notice of an outcome is made again.
func (p *party) mail(ctx context.Context) (text string) {
	for {
		text = p.ask(ctx, p.call(sameID, "claim_handoff", said{"wait_seconds": 50}))
		var out schemas.ClaimOut
		a, err := answered(text)
		if err != nil || a.Result == nil || json.Unmarshal(a.Result.StructuredContent, &out) != nil || len(out.Notices) == 0 {
			return text
		}
	}
}

// received reads the answer to a wait, which has to be that mail, and completes it.
func (p *party) received(ctx context.Context, text string, id schemas.ID) error {
	var claimed schemas.ClaimOut
	a, err := answered(text)
	if err != nil || a.Result == nil || json.Unmarshal(a.Result.StructuredContent, &claimed) != nil || claimed.HandoffID != id {
		return fmt.Errorf("%s waited for %v and was answered %q", p.name, id, text)
	}
	done := p.second.ask(ctx, p.call(otherID, "complete_handoff", said{"handoff_id": id, "claim_token": claimed.Token, "summary": "x"}))
	if a, err = answered(done); err != nil || a.Result == nil || a.Result.IsError {
		return fmt.Errorf("%s does not complete %v: %q", p.name, id, done)
	}
	return nil
}

// attackedBy cancels: in another session, in p's session with another token, and as in the newer protocol, where that
// cancels nothing.
func (p *party) attackedBy(ctx context.Context, other *party) {
	other.second.cancel(ctx)
	if other.secret != p.secret {
		other.as(func(b *bare) { b.session, b.era = p.session, older }).cancel(ctx)
	}
	other.as(func(b *bare) { b.session, b.era = "", newer }).cancel(ctx)
}

// cancel cancels the request of the one id, as a client does.
func (b *bare) cancel(ctx context.Context) {
	resp, err := b.post(ctx, b.message(nil, "notifications/cancelled", said{"requestId": sameID, "reason": "no more"}))
	if err == nil {
		_ = resp.Body.Close()
	}
}

// ask makes a request and gives the answer, empty when there is none.
func (b *bare) ask(ctx context.Context, m said) string {
	resp, err := b.post(ctx, m)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// hear opens a stream about its own inbox, and reads it until ctx is done.
func (p *party) hear(t *testing.T, ctx context.Context, streams *sync.WaitGroup) {
	t.Helper()
	uri := "handoff://inbox/" + p.name
	var resp *http.Response
	var err error
	if p.era == older {
		subscribed := p.ask(ctx, p.message(sameID, "resources/subscribe", said{"uri": uri}))
		require.Contains(t, subscribed, `"result"`)
		resp, err = p.listen(ctx)
	} else {
		resp, err = p.post(ctx, p.message(sameID, "subscriptions/listen",
			said{"notifications": said{"resourceSubscriptions": []string{uri}}}))
	}
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	streams.Go(func() {
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				p.note(data, uri)
			}
		}
	})
}

// note records a message of a stream.
func (p *party) note(data, uri string) {
	var m struct {
		Method string
		Params struct{ URI string }
	}
	switch err := json.Unmarshal([]byte(data), &m); {
	case err != nil || m.Method == sdk.MethodNotificationResourceUpdated && m.Params.URI != uri:
		p.foreign = append(p.foreign, data)
	case m.Method == sdk.MethodNotificationResourceUpdated:
		p.heard++
	case !strings.HasPrefix(m.Method, "notifications/subscriptions/"):
		p.foreign = append(p.foreign, data)
	}
}
