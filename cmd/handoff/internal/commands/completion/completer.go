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

// completer returns the possible completions of a word that a person has typed in part. The shell drops completions
// that do not begin with the typed part. It reports no errors, because the command reports them when it runs.
type completer func(ctx context.Context, a *cli.App, typed string) []cobra.Completion

// keyTimeout is the longest time that completion waits for the store after a key press.
const keyTimeout = time.Second

// completeFromWorkspace returns a completer that reads the words from the workspace. Without a workspace there are no
// words. The read changes nothing and prints nothing.
func completeFromWorkspace(read func(ctx context.Context, conn *cli.Connection, typed string) []cobra.Completion) completer {
	return func(ctx context.Context, a *cli.App, typed string) (found []cobra.Completion) {
		ws, err := workspace.Find(a.WorkspaceConfig())
		if err != nil {
			return nil
		}
		if store := ws.StoreFile(); store == nil || store.Bytes == 0 {
			return nil // opening would create it
		}
		const atTerminal = false // the standard input of a completion says nothing about the caller
		by, err := identity.CommandCaller(a.Agent, a.Getenv, atTerminal)
		if err != nil {
			return nil
		}
		by.Scope = schemas.ScopeRead
		ctx, cancel := context.WithTimeout(ctx, keyTimeout)
		defer cancel()
		a.Stderr = io.Discard
		_ = a.Connect(ctx, by, func(conn *cli.Connection) error { // after an error there are no words
			found = read(ctx, conn, typed)
			return nil
		})
		return found
	}
}

// completeWords always completes with the same words.
func completeWords[T ~string](all ...T) completer {
	return func(context.Context, *cli.App, string) []cobra.Completion { return schemas.FormatAll(all) }
}

// describedCompletion returns a completion with a description. It makes the description one line of plain text, because
// agents wrote it.
func describedCompletion(word, text string) cobra.Completion {
	const line = 80 // bytes
	if text == "" {
		return word
	}
	return cobra.CompletionWithDesc(word, schemas.Clip(strings.Join(strings.Fields(schemas.EscapeHidden(text)), " "), line))
}

// agents completes with the names of agents, the last seen first, and with human.
var agents = completeFromWorkspace(func(ctx context.Context, conn *cli.Connection, _ string) (found []cobra.Completion) {
	var seen schemas.AgentsOut
	_, _ = conn.Call(ctx, "list_agents", cli.Arguments{"limit": cli.AllAgents}, &seen) // empty after an error
	for _, c := range seen.Agents {
		if c.Name != schemas.Human {
			found = append(found, describedCompletion(string(c.Name), cli.Presence(c, conn.App.Now())))
		}
	}
	return append(found, describedCompletion(string(schemas.Human), "a person"))
})

// openHandoffs completes with the ids of open handoffs, in the form in which the person types an id.
var openHandoffs = completeFromList(schemas.Open, func(item schemas.ListItem, typed string) (id, about string) {
	if id = item.HandoffID.String(); !strings.HasPrefix(typed, "h") {
		id = strings.TrimPrefix(id, "ho_")
	}
	return id, string(item.Status) + ", for " + string(item.To) + ": " + item.Title
})

// workflows completes with the workflows of the newest handoffs.
var workflows = completeFromList("", func(item schemas.ListItem, _ string) (id, about string) {
	return string(item.Workflow), item.Title
})

// maxOffered is the number of handoffs that a person still reads.
const maxOffered = 30

// completeFromList completes with a described word of each of the newest handoffs with a status, each word once.
func completeFromList(status schemas.StatusFilter, word func(item schemas.ListItem, typed string) (word, about string)) completer {
	return completeFromWorkspace(func(ctx context.Context, conn *cli.Connection, typed string) (found []cobra.Completion) {
		var newest schemas.ListOut
		which := cli.Arguments{"box": "all", "status": status, "limit": maxOffered}
		_, _ = conn.Call(ctx, "list_handoffs", which, &newest) // empty after an error
		seen := map[string]bool{}
		for _, item := range newest.Items {
			if w, about := word(item, typed); !seen[w] {
				seen[w] = true
				found = append(found, describedCompletion(w, about))
			}
		}
		return found
	})
}

// completeWorkspaceNames completes with the workspaces on this machine.
func completeWorkspaceNames(_ context.Context, a *cli.App, _ string) []cobra.Completion {
	all, _ := workspace.All(a.Getenv) // none if they cannot be listed
	return schemas.Map(all, func(w workspace.Workspace) cobra.Completion { return describedCompletion(w.Name, w.Project) })
}
