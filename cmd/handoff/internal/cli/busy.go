package cli

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas/display"
)

// eraseLine moves the cursor to the beginning of its line and clears the line.
const eraseLine = "\r\x1b[K"

// ShowProgress shows a person at a terminal what the program is doing. After a second it writes a line to standard
// error, with the elapsed time. The caller must call end before it prints other text: end removes the line. With
// --json, or if standard error is no terminal, ShowProgress prints nothing.
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
