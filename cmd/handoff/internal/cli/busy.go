package cli

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/mailbox/draw"
)

// eraseLine takes the cursor to the beginning of its line, which is empty then.
const eraseLine = "\r\x1b[K"

// Busy tells who waits at a terminal what is going on, in a line on standard error: once it took a second, and how long
// since. The line is gone when end is called, which is to be done before anything else is printed. Where nobody looks at
// standard error, nothing is said.
func (a *App) Busy(what string) (end func()) {
	if !a.IsTerminal(a.Stderr) || a.Getenv("TERM") == "dumb" {
		return func() {}
	}
	width := cmp.Or(terminal.Of(a.Stderr, true, true, a.Getenv).Width, 80) - 1 // a longer one could not be erased
	over := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for second := 1; ; second++ {
			select {
			case <-tick.C:
				fmt.Fprint(a.Stderr, eraseLine+draw.Clip(fmt.Sprintf("%d s: %s", second, what), width))
			case <-over:
				if second > 1 {
					fmt.Fprint(a.Stderr, eraseLine)
				}
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(over)
		saying.Wait()
	})
}
