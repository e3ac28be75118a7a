package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas/display"
)

// eraseLine moves the cursor to the beginning of its line and clears the line.
const eraseLine = "\r\x1b[K"

// ShowProgress shows a person at a terminal what the program is doing. It writes a line to standard error after a
// second, and then keeps the elapsed time in the line up to date. End removes the line; callers must call it before
// they print anything else. ShowProgress prints nothing if standard error is no terminal, or with --json.
func (a *App) ShowProgress(what string) (end func()) {
	if a.JSON || !a.IsTerminal(a.Stderr) || a.Getenv("TERM") == "dumb" {
		return func() {}
	}
	width := cmp.Or(terminal.ChooseStyle(a.Stderr, true, true, a.Getenv).Width, 80) - 1 // a longer line could not be erased
	over := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for second := 1; ; second++ {
			select {
			case <-tick.C:
				line := fmt.Sprintf("%d s: %s", second, what)
				fmt.Fprint(a.Stderr, eraseLine+display.Clip(line, width))
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

// FormatThousands writes a number with separators: 1,234,567.
func FormatThousands(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
