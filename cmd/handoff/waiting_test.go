package main

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// While a command waits, those it waits for must get at the store.

func TestWait_SeesOtherCommandFinish(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	var code int
	var out string
	var waiting sync.WaitGroup
	waiting.Go(func() { code, out, _ = p.Run("wait", "1", "--timeout", "60") })
	p.Must("claim", "--agent", "qa")
	p.Must("complete", "1", "--agent", "qa", "--summary", "12 passed")
	waiting.Wait()
	require.Zero(t, code)
	require.Contains(t, out, "Result\n  12 passed")
}

func TestClaim_WaitsForMail(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	var code int
	var out string
	var waiting sync.WaitGroup
	waiting.Go(func() { code, out, _ = p.Run("claim", "--agent", "qa", "--wait", "60") })
	p.Must("send", "qa", "Test it", "--agent", "dev")
	waiting.Wait()
	require.Zero(t, code)
	require.Contains(t, out, "ho_1 Test it, from dev")
}

// Commands at the same time take turns.
func TestCommands_SucceedConcurrently(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	var senders sync.WaitGroup
	codes := make([]int, 8)
	for i := range codes {
		senders.Go(func() { codes[i], _, _ = p.Run("send", "qa", "Test "+strconv.Itoa(i), "--agent", "dev") })
	}
	senders.Wait()
	require.Equal(t, make([]int, len(codes)), codes)
	require.Contains(t, p.Must("audit", "verify"), "8 events of 8 handoffs")
}

func TestWait_EndsAfterTimeout(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	code, _, _ := p.Run("claim", "--agent", "nobody", "--wait", "1")
	require.Equal(t, 6, code)
	code, _, errs := p.Run("wait", "1", "--timeout", "1")
	require.Equal(t, 7, code)
	require.Contains(t, errs, "ho_1 is still pending")
}
