package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/tools"
)

// ReadingCaller is like [App.Caller], for a command that only reads. If --agent names another agent than the
// environment does, the command shows the mail of that agent, but leaves notices unread and renews no claims. This
// holds for a person at a terminal and, if lists is true, for every caller, but not with the flag --read. A name from
// the environment is the caller's own name, so the notices count as read.
//
// An unread notice for a person shows that the person is needed. So mail of human counts as read only at a terminal
// that no agent uses, or with --read.
func (a *App) ReadingCaller(lists bool) (schemas.Caller, error) {
	by, err := a.Caller(false)
	named := a.Agent != "" && a.Agent != a.Getenv("HANDOFF_AGENT") && by.Agent != schemas.Human
	if named && !a.MarkRead && (lists || a.AtTerminal()) {
		by.Scope = schemas.ScopeRead
	}
	if by.Agent == schemas.Human {
		by = a.LeaveHumanMailUnread(by)
	}
	return by, err
}

// LeaveHumanMailUnread returns the caller for reading the mail of human. The returned caller leaves the mail unread,
// unless a person is at the terminal or --read is given.
func (a *App) LeaveHumanMailUnread(by schemas.Caller) schemas.Caller {
	if whose, _ := identity.CommandCaller("", a.Getenv, a.AtTerminal()); whose.Agent != schemas.Human && !a.MarkRead {
		by.Scope = schemas.ScopeRead
	}
	return by
}

// DefineReadFlag gives a command that shows notices the flag --read.
func (a *App) DefineReadFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&a.MarkRead, "read", false, "with --agent: shown notices count as read, as if that agent, or the person, had listed them")
}

// RemarkOnReading returns a sentence that says whether the shown notices of an agent now count as read. The parameter
// unread is the number of shown notices.
func (a *App) RemarkOnReading(by schemas.Caller, of schemas.Agent, unread int) string {
	switch {
	case unread == 0:
		return ""
	case by.Scope == schemas.ScopeRead:
		return fmt.Sprintf("%s of %s: unread as before. With --read they count as read.", schemas.CountNoun(unread, "new notice"), of)
	}
	return fmt.Sprintf("%s of %s: read now.", schemas.CountNoun(unread, "new notice"), of)
}

// ConnectToRead is like [App.Connect], for a command that only reads. It creates no workspace: for an unused workspace,
// fn sees an empty one. The error is not_found if the user typed the name of a workspace that does not exist.
func (a *App) ConnectToRead(ctx context.Context, by schemas.Caller, fn func(*Connection) error) error {
	place, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return err
	}
	if a.UsesDatabase() || !place.IsStoreMissing() {
		return a.connectTo(ctx, place, by, fn)
	}
	if a.isWorkspaceTyped() {
		return a.errNoWorkspace(a.similarWorkspaces())
	}
	conn := &Connection{By: by, App: a, empty: open.EmptyMailboxes(a.Now)}
	if err := conn.actAsSession(ctx); err != nil {
		return err
	}
	return fn(conn)
}

// MovedWorkspaces returns a sentence and a command for each workspace that the project may have had before it was
// moved, copied or cloned. Commands that find nothing print the sentences, each in a line.
func (a *App) MovedWorkspaces() string {
	var lines []string
	if place, err := workspace.Find(a.WorkspaceConfig()); err == nil && !a.UsesDatabase() {
		for _, n := range workspace.FindNeighbours(place, a.Getenv) {
			if n.Moved || n.Relation != "" {
				lines = append(lines, fmt.Sprintf("Beside it is %s: %s", schemas.EscapeHidden(n.String()), n.Join))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// UsesDatabase reports whether workspaces are in a database. Otherwise they are in files of this machine.
func (a *App) UsesDatabase() bool { return a.Getenv("HANDOFF_STORE") != "" }

// ConnectForTool is [App.ConnectToRead] for a tool that only reads, and [App.Connect] for every other tool.
func (a *App) ConnectForTool(ctx context.Context, by schemas.Caller, tool string, fn func(*Connection) error) error {
	if isReadingTool(tool) {
		return a.ConnectToRead(ctx, by, fn)
	}
	return a.Connect(ctx, by, fn)
}

// isReadingTool reports whether a tool only reads.
func isReadingTool(tool string) bool {
	t, err := tools.FindTool(tool)
	return err == nil && t.ReadOnly
}

// CountConcerns returns the number of messages and handoffs that need the calling person. For an agent it returns 0.
func (conn *Connection) CountConcerns(ctx context.Context) (int, error) {
	if conn.By.Agent != schemas.Human {
		return 0, nil
	}
	var out schemas.OverviewOut
	_, err := conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: 1}, &out)
	return out.NeedsYou.Total, err
}

// isWorkspaceTyped reports whether the command line names the workspace.
func (a *App) isWorkspaceTyped() bool {
	return a.Workspace != "" && a.Workspace != a.Getenv("HANDOFF_WORKSPACE")
}

// findTypedWorkspace returns the workspace. It returns an error if the user typed the name of a new workspace that
// resembles an existing name, because the new name is probably a misspelling.
func (a *App) findTypedWorkspace() (workspace.Workspace, error) {
	place, err := workspace.Find(a.WorkspaceConfig())
	if err != nil || a.UsesDatabase() || !a.isWorkspaceTyped() || place.Exists() {
		return place, err
	}
	letters := func(name string) string { return strings.Join(strings.FieldsFunc(name, unicode.IsDigit), "") }
	likely := slices.DeleteFunc(a.similarWorkspaces(), func(name string) bool { // longer names and names with other numbers are other names
		return strings.HasPrefix(name, a.Workspace) || strings.HasPrefix(a.Workspace, name) ||
			letters(name) == letters(a.Workspace)
	})
	if len(likely) == 0 {
		return place, nil
	}
	return place, a.errNoWorkspace(likely).WithHint("Did you mean %s? HANDOFF_WORKSPACE=%s in the environment makes a new one.",
		likely[0], a.Workspace)
}

func (a *App) errNoWorkspace(likely []string) *schemas.Error {
	e := schemas.Errorf(schemas.NotFound, "there is no workspace %s", schemas.EscapeHidden(a.Workspace)).WithField("workspace")
	if len(likely) == 0 {
		return e.WithHint("handoff workspace list shows which there are. The first send makes one.")
	}
	return e.WithHint("Did you mean %s? handoff workspace list shows which there are.", likely[0])
}

// similarWorkspaces returns the existing workspaces whose names resemble the typed name.
func (a *App) similarWorkspaces() []string {
	all, err := workspace.All(a.Getenv)
	if err != nil {
		return nil
	}
	return closest.LikelyNames(a.Workspace, schemas.Map(all, func(w workspace.Workspace) string { return w.Name }))
}
