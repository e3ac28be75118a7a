package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"handoff/schemas"
)

// Ask asks somebody at the terminal a question and gives what is typed, without blanks around it. Ctrl-C answers
// too: then nothing is to be done.
func (a *App) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.Stderr, question)
	typed := make(chan string, 1)
	go func() { // left behind where nobody answers: the process ends
		line, _ := bufio.NewReader(a.Stdin).ReadString('\n') // none at all is an answer
		typed <- strings.TrimSpace(line)
	}()
	select {
	case line := <-typed:
		return line, nil
	case <-ctx.Done():
		fmt.Fprintln(a.Stderr)
		return "", schemas.Errorf(schemas.Conflict, "it was interrupted").WithHint("Nothing was done.")
	}
}
