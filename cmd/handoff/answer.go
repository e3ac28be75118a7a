package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"handoff/schemas"
)

// answer asks somebody at the terminal a question and gives what is typed, without blanks around it. Ctrl-C answers
// too: then nothing is to be done.
func (a *app) answer(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.stderr, question)
	typed := make(chan string, 1)
	go func() { // left behind where nobody answers: the process ends
		line, _ := bufio.NewReader(a.stdin).ReadString('\n') // none at all is an answer
		typed <- strings.TrimSpace(line)
	}()
	select {
	case line := <-typed:
		return line, nil
	case <-ctx.Done():
		fmt.Fprintln(a.stderr)
		return "", schemas.Errorf(schemas.Conflict, "it was interrupted").WithHint("Nothing was done.")
	}
}
