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

// A completer gives what a word that was typed in part may become. It does not say what went wrong: somebody is
// typing, and the command will say it.
type completer func(ctx context.Context, a *cli.App, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// inOrder has completions shown in the order in which they come, without the names of files.
const inOrder = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// keyPatience is how long somebody who pressed a key waits for the store.
const keyPatience = 300 * time.Millisecond

// stored completes with what is read from the workspace, if there is one.
func stored(read func(ctx context.Context, conn *cli.Connection, typed string) ([]cobra.Completion, error)) completer {
	return func(ctx context.Context, a *cli.App, typed string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
		err := lookInto(ctx, a, func(ctx context.Context, conn *cli.Connection) (err error) {
			found, err = read(ctx, conn, typed)
			return err
		})
		if err != nil {
			found = nil
		}
		return beginning(found, typed), inOrder
	}
}

// lookInto is a visit of a workspace that exists, by somebody who may only read. It says nothing on any stream.
func lookInto(ctx context.Context, a *cli.App, fn func(context.Context, *cli.Connection) error) error {
	place, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	if store, ok := place.Store(); !ok || store.Bytes == 0 {
		return nil // to look would make it
	}
	const atTerminal = false // what shells give as standard input when a key is pressed says nothing
	by, err := identity.Caller(a.Agent, a.Getenv, atTerminal)
	if err != nil {
		return err
	}
	by.Scope = schemas.ScopeRead
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	a.Stderr = io.Discard
	return a.Connect(ctx, by, func(conn *cli.Connection) error { return fn(ctx, conn) })
}

// beginning keeps what begins as was typed. Shells do so too, but have to be sent all of it.
func beginning(found []cobra.Completion, typed string) (kept []cobra.Completion) {
	for _, c := range found {
		if strings.HasPrefix(c, typed) {
			kept = append(kept, c)
		}
	}
	return kept
}

// words completes with the same words at all times.
func words[T ~string](all ...T) completer {
	return func(_ context.Context, _ *cli.App, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []cobra.Completion
		for _, word := range all {
			found = append(found, string(word))
		}
		return beginning(found, typed), inOrder
	}
}

// commaSeparated completes the last of several.
func commaSeparated(c completer) completer {
	return func(ctx context.Context, a *cli.App, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		cut := strings.LastIndex(typed, ",") + 1
		found, directive := c(ctx, a, typed[cut:])
		for i := range found {
			found[i] = typed[:cut] + found[i]
		}
		return found, directive
	}
}

func files(context.Context, *cli.App, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func directories(context.Context, *cli.App, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// described is a completion with what tells it from others. Agents wrote that: it becomes one line of plain text.
func described(word, text string) cobra.Completion {
	const line = 80 // bytes
	if text == "" {
		return word
	}
	return cobra.CompletionWithDesc(word, schemas.Clip(strings.Join(strings.Fields(schemas.Visible(text)), " "), line))
}
