//go:build unix

package network_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// each is how many streams of each era are open when the server has to end.
const each = 50

// TestSIGTERM_AnswersEveryCallInTwoSeconds ends a server that has the maximal number of waiting calls of a token, a
// hundred open streams and other calls. Waiting calls must be answered, streams must end in good order, and the end may
// take two seconds at most. A machine with other work may need longer: a server that says so is tried again, and after
// three trials the machine is too busy for this test.
func TestSIGTERM_AnswersEveryCallInTwoSeconds(t *testing.T) {
	for range 3 {
		if endWhileBusy(t) {
			return
		}
	}
	t.Skip("this machine is too busy: a server had no time to answer all its calls")
}

// endWhileBusy ends a server with waiting calls and open streams. It returns false if the server says that it had too
// little time. Otherwise all of them must end in good order.
func endWhileBusy(t *testing.T) bool {
	s := newSite(t)
	secret := s.token("ann", "ann,ben", "--rate", "100000")
	v := s.serve()
	o, n := v.bare(secret, older), v.bare(secret, newer)
	var waits, gets, listens, works endings
	var group sync.WaitGroup
	for range each {
		v.follow(t, &group, &gets, o.listen)
		listen := n.message(1, "subscriptions/listen", said{"notifications": said{"resourceSubscriptions": []string{"handoff://inbox"}}})
		v.follow(t, &group, &listens, func(ctx context.Context) (*http.Response, error) { return n.post(ctx, listen) })
	}
	waits.fill(t, &group, o, n)
	for i := range 8 {
		group.Go(func() { works.add(n.goOn(s.ctx, i)) })
	}

	began := time.Now()
	require.NoError(t, v.cmd.Process.Signal(syscall.SIGTERM))
	group.Wait()
	answered := time.Since(began)
	require.Zero(t, v.code(), v.log)
	took := time.Since(began)

	if strings.Contains(v.log.String(), "clients did not take their answers in time") {
		return false
	}
	for kind, e := range map[string]*endings{"waits": &waits, "streams of sessions": &gets, "subscriptions": &listens, "working clients": &works} {
		require.Empty(t, e.bad, kind)
		t.Logf("%d %s ended in good order", e.good, kind)
	}
	require.GreaterOrEqual(t, waits.good, 100)
	require.Equal(t, []int{each, each, 8}, []int{gets.good, listens.good, works.good})
	t.Logf("all was answered after %v, and the process had ended after %v", answered.Round(time.Millisecond), took.Round(time.Millisecond))
	require.LessOrEqual(t, took, 2*time.Second)
	s.verify()
	return true
}

// fill has calls wait until the server takes no more of them: then it has all the others in its hands.
func (e *endings) fill(t *testing.T, group *sync.WaitGroup, clients ...*bare) {
	t.Helper()
	full, asked := make(chan int, 10_000), make(chan bool, 1)
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { asked <- true }}
	made := 0
	for ; len(full) == 0; made++ {
		b := clients[made%len(clients)]
		group.Go(func() {
			ctx := httptrace.WithClientTrace(b.v.ctx, trace)
			err := b.outcome(ctx, b.call(made, "claim_handoff", said{"agent": "ben", "wait_seconds": 50}))
			if tooLate, ok := errors.AsType[errFull](err); ok {
				full <- tooLate.limit
				return
			}
			e.add(err)
		})
		<-asked
	}
	waiting := <-full
	for range made - waiting - 1 {
		<-full // other callers came too late
	}
}

// errFull says that a call would have waited, had there not been so many of them already.
type errFull struct{ limit int }

func (e errFull) Error() string { return fmt.Sprintf("%d calls wait", e.limit) }

var tooMany = regexp.MustCompile(`there are too many calls that wait: at most (\d+) of one token`)

// endings count the ends of running requests.
type endings struct {
	mu   sync.Mutex // guards the fields below
	good int
	bad  []string
}

func (e *endings) add(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		e.good++
	} else {
		e.bad = append(e.bad, err.Error())
	}
}

// outcome makes a call, and gives an error unless it was answered with a result or an error of the protocol.
func (b *bare) outcome(ctx context.Context, m said) error {
	resp, err := b.post(ctx, m)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	a, err := answered(string(text))
	switch {
	case err != nil, a.Result == nil && a.Error == nil:
		return fmt.Errorf("%d %q: %w", resp.StatusCode, text, err)
	case a.Result == nil || !a.Result.IsError:
		return nil
	}
	if found := tooMany.FindStringSubmatch(a.Result.Content[0].Text); found != nil {
		limit, err := strconv.Atoi(found[1])
		return errors.Join(errFull{limit}, err)
	}
	return nil
}

// follow opens a stream and reads it to its end, which the server has to announce. It notes whether the last message
// is the answer, if there is one.
func (v *server) follow(t *testing.T, group *sync.WaitGroup, e *endings, open func(context.Context) (*http.Response, error)) {
	t.Helper()
	resp, err := open(v.ctx)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	group.Go(func() {
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.Request.Method == http.MethodPost {
			var a answer
			if a, err = answered(string(text)); err == nil && a.Result == nil {
				err = fmt.Errorf("no result: %q", text)
			}
		}
		e.add(err)
	})
}

// goOn sends until the server takes nothing any more. An answer that was begun has to be whole.
func (b *bare) goOn(ctx context.Context, i int) error {
	for made := 0; ; made++ {
		resp, err := b.post(ctx, b.call(made, "send_handoff", said{"to": "ann", "task": fmt.Sprintf("%d of %d", made, i), "parent": "none", "type": "message"}))
		if err != nil {
			return ctx.Err() // nobody took it: the server had ended
		}
		text, err := io.ReadAll(resp.Body)
		err = errors.Join(err, resp.Body.Close())
		if err != nil {
			return fmt.Errorf("half an answer: %q: %w", text, err)
		}
		if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" {
			return nil
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%d: %s", resp.StatusCode, text)
		}
	}
}
