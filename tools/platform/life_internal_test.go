package platform

import (
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// These tests pass signals to the code through a channel, because a real signal would reach the whole test process.

type life struct {
	*ProcessLife
	ctx     context.Context
	signals chan os.Signal
	exited  chan int
}

func start(t *testing.T) life {
	exited := make(chan int, 2)
	signals := make(chan os.Signal)
	ctx, l := beginLife(t.Context(), func(code int) { exited <- code }, signals)
	t.Cleanup(l.End)
	return life{l, ctx, signals, exited}
}

func TestProcessLife_SecondSignalExitsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := start(t)
		l.signals <- os.Interrupt
		synctest.Wait()
		require.Error(t, l.ctx.Err())

		l.signals <- syscall.SIGTERM
		synctest.Wait()
		require.Empty(t, l.exited, "another one says the same")

		l.signals <- os.Interrupt
		require.Equal(t, 130, <-l.exited)
	})
}

func TestProcessLife_ExitsWhenDrainHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := start(t)
		began := time.Now()
		_, err := l.WatchInput(strings.NewReader("")).Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, l.ctx.Err(), "calls that were read are still answered")
		require.Equal(t, 1, <-l.exited)
		require.Equal(t, DrainLimit, time.Since(began))
	})
}

func TestProcessLife_SignalAfterEndOfInputIsFirstSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := start(t)
		_, err := l.WatchInput(strings.NewReader("")).Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		l.signals <- syscall.SIGTERM
		synctest.Wait()
		require.Error(t, l.ctx.Err())
		require.Empty(t, l.exited)
	})
}

func TestProcessLife_EndsWhenClientNoLongerReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := start(t)
		_, err := l.WatchOutput(brokenPipe{}).Write([]byte("x"))
		require.ErrorIs(t, err, syscall.EPIPE)
		require.Error(t, l.ctx.Err())
	})
}

func TestProcessLife_OrderlyEndDoesNotCallExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exited := make(chan int, 1)
		_, l := beginLife(t.Context(), func(code int) { exited <- code }, make(chan os.Signal))
		l.beginDrain()
		l.End()
		time.Sleep(2 * DrainLimit)
		require.Empty(t, exited)
	})
}

func TestProcessLife_EndsWhenParentIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := start(t)
		var looks, parent atomic.Int64
		l.FollowParent(func() int {
			looks.Add(1)
			return int(parent.Load())
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		require.NoError(t, l.ctx.Err(), "it is still there")
		require.EqualValues(t, 1+time.Hour/parentInterval, looks.Load(), "nothing is done in between")

		began := time.Now()
		parent.Store(1)
		<-l.ctx.Done()
		require.Equal(t, parentInterval, time.Since(began))
		require.Equal(t, 1, <-l.exited, "what hangs then ends hard")
		require.Equal(t, parentInterval+DrainLimit, time.Since(began))
	})
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }
