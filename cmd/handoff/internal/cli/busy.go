package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/mailbox/draw"
	"handoff/store"
)

// eraseLine takes the cursor to the beginning of its line, which is empty then.
const eraseLine = "\r\x1b[K"

// Busy tells who waits at a terminal what is going on, in a line on standard error: once it took a second, and how long
// since. The line is gone when end is called, which is to be done before anything else is printed. Where nobody looks at
// standard error, and with --json, nothing is said.
func (a *App) Busy(what string) (end func()) {
	_, end = a.Progress(context.Background(), what)
	return end
}

// Progress is Busy for what reads a whole store under the context that it gives: the line also says how far that is. It
// does not where another process reads the store.
func (a *App) Progress(ctx context.Context, what string) (_ context.Context, end func()) {
	if a.JSON || !a.IsTerminal(a.Stderr) || a.Getenv("TERM") == "dumb" {
		return ctx, func() {}
	}
	width := cmp.Or(terminal.Of(a.Stderr, true, true, a.Getenv).Width, 80) - 1 // a longer one could not be erased
	var far atomic.Pointer[string]
	over := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for second := 1; ; second++ {
			select {
			case <-tick.C:
				line := fmt.Sprintf("%d s: %s", second, what)
				if at := far.Load(); at != nil {
					line += ": " + *at
				}
				fmt.Fprint(a.Stderr, eraseLine+draw.Clip(line, width))
			case <-over:
				if second > 1 {
					fmt.Fprint(a.Stderr, eraseLine)
				}
				return
			}
		}
	})
	ctx = store.WithProgress(ctx, func(what string, done, all uint64) {
		at := Thousands(done) + " " + what
		if all > 0 {
			at = Thousands(done) + " of " + Thousands(all) + " " + what
		}
		far.Store(&at)
	})
	return ctx, sync.OnceFunc(func() {
		close(over)
		saying.Wait()
	})
}

// Thousands writes a number so that people can read it: 1,234,567.
func Thousands(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
