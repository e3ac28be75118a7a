package completion

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// A completer gives what a word that was typed in part may become, and perhaps other words. It does not say what went
// wrong: somebody is typing, and the command will say it.
type completer func(ctx context.Context, a *cli.App, typed string) []cobra.Completion

// keyPatience is how long somebody who pressed a key waits for the store.
const keyPatience = 300 * time.Millisecond

// stored completes with what is read from the workspace, if there is one, by somebody who may only read. It says
// nothing on any stream.
func stored(read func(ctx context.Context, conn *cli.Connection, typed string) ([]cobra.Completion, error)) completer {
	return func(ctx context.Context, a *cli.App, typed string) (found []cobra.Completion) {
		place, err := workspace.Find(a.Location())
		if err != nil {
			return nil
		}
		if store, ok := place.Store(); !ok || store.Bytes == 0 {
			return nil // to look would make it
		}
		const atTerminal = false // what shells give as standard input when a key is pressed says nothing
		by, err := identity.Caller(a.Agent, a.Getenv, atTerminal)
		if err != nil {
			return nil
		}
		by.Scope = schemas.ScopeRead
		ctx, cancel := context.WithTimeout(ctx, keyPatience)
		defer cancel()
		a.Stderr = io.Discard
		err = a.Connect(ctx, by, func(conn *cli.Connection) (err error) {
			found, err = read(ctx, conn, typed)
			return err
		})
		if err != nil {
			return nil
		}
		return found
	}
}

// words completes with the same words at all times.
func words[T ~string](all ...T) completer {
	return func(context.Context, *cli.App, string) (found []cobra.Completion) {
		for _, word := range all {
			found = append(found, string(word))
		}
		return found
	}
}

// commaSeparated completes the last of several.
func commaSeparated(c completer) completer {
	return func(ctx context.Context, a *cli.App, typed string) []cobra.Completion {
		cut := strings.LastIndex(typed, ",") + 1
		found := c(ctx, a, typed[cut:])
		for i := range found {
			found[i] = typed[:cut] + found[i]
		}
		return found
	}
}

// described is a completion with what tells it from others. Agents wrote that: it becomes one line of plain text.
func described(word, text string) cobra.Completion {
	const line = 80 // bytes
	if text == "" {
		return word
	}
	return cobra.CompletionWithDesc(word, schemas.Clip(strings.Join(strings.Fields(schemas.Visible(text)), " "), line))
}
