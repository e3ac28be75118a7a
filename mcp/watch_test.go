package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// interruptedChanges ends its stream of changes with an error before every second change.
type interruptedChanges struct {
	tools.Invoker
	streams atomic.Int64
}

func (s *interruptedChanges) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	s.streams.Add(1)
	return func(yield func(schemas.RegistryChange, error) bool) {
		for c, err := range s.Invoker.Changes(ctx, after) {
			if err != nil || c.N > after+1 {
				yield(schemas.RegistryChange{}, errors.New("moved"))
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func TestResourceWatch_ContinuesAfterChangesFail(t *testing.T) {
	cfg := workspace(t)
	s := &interruptedChanges{Invoker: cfg.Invoker}
	cfg.Invoker = s
	c := connect(t, cfg)
	for id := range 2 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"handoff://handoff/%d"}}`, id, id+1))
		c.nextLine()
	}
	sendWork(t, cfg, 2)
	require.Equal(t, "handoff://handoff/1", parse(t, c.nextLine()).Params["uri"])
	require.Equal(t, "handoff://handoff/2", parse(t, c.nextLine()).Params["uri"])
	require.EqualValues(t, 2, s.streams.Load())
}

// A client that subscribes and then neither reads nor leaves delays only its own changes.
func TestResourceWatch_EndsThoughClientDoesNotRead(t *testing.T) {
	before := runtime.NumGoroutine()
	cfg := workspace(t)
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcp.New(cfg).ServeStdio(t.Context(), fromClient, toClient) }()
	_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"handoff://inbox/qa"}}`+"\n")
	require.NoError(t, err)
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	sendWork(t, cfg, 100)
	_, err = out.Read(make([]byte, 1)) // the rest of the line is stuck
	require.NoError(t, err)
	in.Close()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(patience):
		require.Fail(t, "ServeStdio does not return")
	}
	out.Close()
	requireGoroutines(t, before)
}
