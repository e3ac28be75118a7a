package completion

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

// completer returns the possible completions of a word that a person has typed in part. The shell drops completions
// that do not begin with the typed part. It reports no errors, because the command reports them when it runs.
type completer func(ctx context.Context, a *cli.App, typed string) []cobra.Completion

// keyTimeout is the longest time that completion waits for the store after a key press.
const keyTimeout = 300 * time.Millisecond

// completeFromWorkspace returns a completer that reads the words from the workspace. Without a workspace there are no
// words. The read changes nothing and prints nothing.
func completeFromWorkspace(read func(ctx context.Context, conn *cli.Connection, typed string) ([]cobra.Completion, error)) completer {
	return func(ctx context.Context, a *cli.App, typed string) (found []cobra.Completion) {
		ws, err := workspace.Find(a.WorkspaceConfig())
		if err != nil {
			return nil
		}
		if store, ok := ws.StoreFile(); !ok || store.Bytes == 0 {
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
		if a.Connect(ctx, by, func(conn *cli.Connection) (err error) {
			found, err = read(ctx, conn, typed)
			return err
		}) != nil {
			return nil
		}
		return found
	}
}

// completeFromTool completes with the result of one call of a tool.
func completeFromTool[Out any](tool string, args cli.Arguments, words func(*cli.Connection, Out) []cobra.Completion) completer {
	return completeFromWorkspace(func(ctx context.Context, conn *cli.Connection, _ string) ([]cobra.Completion, error) {
		var out Out
		_, err := conn.Call(ctx, tool, args, &out)
		return words(conn, out), err
	})
}

// completeWords always completes with the same words.
func completeWords[T ~string](all ...T) completer {
	return func(context.Context, *cli.App, string) []cobra.Completion { return schemas.FormatAll(all) }
}

// completeCommaList completes the last of several.
func completeCommaList(c completer) completer {
	return func(ctx context.Context, a *cli.App, typed string) []cobra.Completion {
		cut := strings.LastIndex(typed, ",") + 1
		return schemas.Map(c(ctx, a, typed[cut:]), func(last cobra.Completion) cobra.Completion { return typed[:cut] + last })
	}
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

// agents completes with the names of agents, the last seen first.
var agents = completeAgents(func(conn *cli.Connection, cards []schemas.Card) []cobra.Completion {
	return schemas.Map(cards, func(c schemas.Card) cobra.Completion {
		return describedCompletion(string(c.Name), describeAgent(c, conn))
	})
})

// recipients completes with all possible recipients.
var recipients = completeAgents(func(conn *cli.Connection, cards []schemas.Card) (found []cobra.Completion) {
	for _, c := range cards {
		if c.Name != schemas.Human {
			found = append(found, describedCompletion(string(c.Name), describeAgent(c, conn)))
		}
	}
	found = append(found, describedCompletion(string(schemas.Human), "a person"))
	for _, role := range distinctValues(cards, rolesOf) {
		found = append(found, describedCompletion("role:"+role, "who of this role is free"))
	}
	for _, accepted := range distinctValues(cards, capabilitiesOf) {
		found = append(found, describedCompletion("capability:"+accepted, "who accepts this"))
	}
	return found
})

// roles, capabilities and workTypes complete with values from the registrations of agents.
var (
	roles        = completeFromAgents(rolesOf)
	capabilities = completeFromAgents(capabilitiesOf)
	workTypes    = completeFromAgents(capabilitiesOf, describedCompletion(schemas.TypeMessage, "mail that is only read"))
)

func completeFromAgents(of func(schemas.Card) []string, more ...cobra.Completion) completer {
	return completeAgents(func(_ *cli.Connection, cards []schemas.Card) []cobra.Completion {
		return append(distinctValues(cards, of), more...)
	})
}

func completeAgents(words func(*cli.Connection, []schemas.Card) []cobra.Completion) completer {
	asked := cli.Arguments{"limit": cli.AllAgents}
	return completeFromTool("list_agents", asked, func(conn *cli.Connection, out schemas.AgentsOut) []cobra.Completion {
		return words(conn, out.Agents)
	})
}

func describeAgent(c schemas.Card, conn *cli.Connection) string {
	about := strings.Join(append([]string{cli.Presence(c, conn.App.Now())}, rolesOf(c)...), ", ")
	if len(c.Accepts) > 0 {
		about += ", accepts " + strings.Join(c.Accepts, " ")
	}
	return about
}

// distinctValues returns values of the cards, sorted, each once.
func distinctValues(cards []schemas.Card, of func(schemas.Card) []string) []string {
	all := slices.Concat(schemas.Map(cards, of)...)
	slices.Sort(all)
	return slices.Compact(all)
}

func rolesOf(c schemas.Card) []string {
	if c.Role == "" {
		return nil
	}
	return []string{c.Role}
}

// capabilitiesOf omits "*", which is no name.
func capabilitiesOf(c schemas.Card) []string {
	return slices.DeleteFunc(slices.Clone(c.Accepts), func(accepted string) bool { return accepted == "*" })
}

// tokenNames completes with the names of valid tokens.
var tokenNames = completeFromTool("token_list", cli.Arguments{}, func(conn *cli.Connection, out schemas.TokenListOut) (found []cobra.Completion) {
	for _, t := range out.Tokens {
		if cli.TokenState(t, conn.App.Now()) == cli.TokenLive {
			found = append(found, describedCompletion(t.Name, "acts as "+cli.JoinAll(t.Agents)))
		}
	}
	return found
})

// completeWorkspaceNames completes with the workspaces on this machine.
func completeWorkspaceNames(_ context.Context, a *cli.App, _ string) []cobra.Completion {
	all, _ := workspace.All(a.Getenv) // none if they cannot be listed
	return schemas.Map(all, func(w workspace.Workspace) cobra.Completion { return describedCompletion(w.Name, w.Project) })
}

// completeToolNames completes with the tools for agents.
func completeToolNames(context.Context, *cli.App, string) []cobra.Completion {
	return schemas.Map(tools.Table, func(t tools.Tool) cobra.Completion { return describedCompletion(t.Name, t.Description) })
}

// completePlannedWorkflows completes with the names of workflows that the files of the project declare.
func completePlannedWorkflows(_ context.Context, a *cli.App, _ string) (found []cobra.Completion) {
	for _, f := range a.AgentsFiles() {
		said, _ := f.Read() // none if it cannot be read
		found = append(found, schemas.Map(said.Plans, func(p schemas.Plan) string { return p.Name })...)
	}
	return found
}

// maxOffered is the number of handoffs that a person still reads.
const maxOffered = 30

// openHandoffs completes with the ids of open handoffs, the newest first.
var openHandoffs = completeFromWorkspace(openHandoffIDs)

func openHandoffIDs(ctx context.Context, conn *cli.Connection, typed string) (found []cobra.Completion, err error) {
	var open schemas.ListOut
	asked := cli.Arguments{"box": "all", "status": schemas.Open, "limit": maxOffered}
	if _, err := conn.Call(ctx, "list_handoffs", asked, &open); err != nil {
		return nil, err
	}
	for _, item := range open.Items {
		id := item.HandoffID.String()
		if !strings.HasPrefix(typed, "h") { // in the typed form
			id = strings.TrimPrefix(id, "ho_")
		}
		found = append(found, describedCompletion(id, string(item.Status)+", for "+string(item.To)+": "+item.Title))
	}
	return found, nil
}

// workflows completes with the workflows of the newest handoffs.
var workflows = completeFromWorkspace(recentWorkflows)

// openHandoffsAndWorkflows completes with the ids of open handoffs, and with the workflows of the newest handoffs. It
// reads only the newest handoffs, because a workspace may have very many.
var openHandoffsAndWorkflows = completeFromWorkspace(func(ctx context.Context, conn *cli.Connection, typed string) ([]cobra.Completion, error) {
	handoffs, err := openHandoffIDs(ctx, conn, typed)
	if err != nil {
		return nil, err
	}
	named, err := recentWorkflows(ctx, conn, typed)
	return append(handoffs, named...), err
})

// recentWorkflows returns the workflows of the newest handoffs. It returns each workflow once, with the title of its
// newest handoff.
func recentWorkflows(ctx context.Context, conn *cli.Connection, _ string) (found []cobra.Completion, err error) {
	var newest schemas.ListOut
	if _, err := conn.Call(ctx, "list_handoffs", cli.Arguments{"box": "all", "limit": maxOffered}, &newest); err != nil {
		return nil, err
	}
	seen := map[schemas.Workflow]bool{}
	for _, item := range newest.Items {
		if !seen[item.Workflow] {
			found = append(found, describedCompletion(string(item.Workflow), item.Title))
		}
		seen[item.Workflow] = true
	}
	return found, nil
}
