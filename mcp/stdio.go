package mcp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

const (
	// cutWaits is how long calls that wait for mail, and the first words with the mailbox, may go on after
	// the end of input: enough to take what is already there, too short to keep anybody waiting.
	cutWaits = 250 * time.Millisecond

	closing = time.Second // bounds what is left to do once all calls are answered
)

// ServeStdio speaks with one client over two streams until in ends, out breaks or ctx is done. Then calls
// in flight are still answered, within [Config.Drain]; those that wait for mail are cut short. A client that
// left is no error. A read of in that is under way when ctx ends is left behind.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	calls, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	waits, cut := context.WithCancel(calls)
	defer cut()
	c := newConn(s, jsonrpc.NewWriter(out, s.config.Logger), calls, waits)
	if err := s.sdk.RegisterSession(calls, c.session); err != nil {
		return fmt.Errorf("register session: %w", err)
	}
	notified := make(chan struct{})
	go func() {
		defer close(notified)
		c.notify()
	}()
	c.streams.Go(func() { c.session.naming.begin(waits) })

	grace := sync.OnceFunc(func() { time.AfterFunc(cutWaits, cut) })
	defer context.AfterFunc(ctx, grace)()
	err := c.read(ctx, input{in, grace})
	grace()
	if !within(s.config.Drain, c.pending.Wait) && err == nil {
		err = fmt.Errorf("%d requests were not answered within %v", c.requests.Len(), s.config.Drain)
	}
	s.sdk.UnregisterSession(calls, c.session.SessionID())
	c.session.naming.end(calls)
	hangUp() // ends subscriptions/listen, which is answered last
	within(closing, func() {
		c.streams.Wait()
		close(c.ends)
		<-notified
	})
	if err == nil {
		err = c.out.Close()
	}
	return err
}

// input tells when it ends, which may be while its last line is still being answered.
type input struct {
	io.Reader
	over func()
}

func (i input) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if err != nil {
		i.over()
	}
	return n, err
}

// within tells whether wait returned in time. One that never does is left behind: it is stuck on a client
// that neither reads nor leaves.
func within(limit time.Duration, wait func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// notify writes what the server has to say unasked. An answer that ends a stream follows what the stream
// said.
func (c *conn) notify() {
	var order acknowledged
	for {
		select {
		case n := <-c.session.notifications:
			c.tell(order.next(n))
		case end, more := <-c.ends:
			if !more {
				return
			}
			c.flush(&order)
			c.out.Send(end)
			order.over(end)
		}
	}
}

func (c *conn) flush(order *acknowledged) {
	for {
		select {
		case n := <-c.session.notifications:
			c.tell(order.next(n))
		default:
			return
		}
	}
}

func (c *conn) tell(notifications []sdk.JSONRPCNotification) {
	for _, n := range notifications {
		c.out.Send(n)
	}
}

// read takes in messages until the client or ctx ends it.
func (c *conn) read(ctx context.Context, in io.Reader) error {
	lines, ended := jsonrpc.ReadLines(in, c.calls.Done())
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.out.Broken:
			return nil
		case l, more := <-lines:
			if more {
				c.receive(ctx, l)
			} else if err := <-ended; err != nil {
				return fmt.Errorf("read from client: %w", err)
			} else {
				return nil
			}
		}
	}
}
