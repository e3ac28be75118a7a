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

// ReadingCaller is [App.Caller] for a command that only looks. A caller that names another agent with --agent sees
// the mail of that agent and marks nothing: the notices stay unread, and the claims are not renewed, unless --read is
// given. This applies to a person at a terminal, and for whole lists to every caller. The surroundings of an agent,
// and HANDOFF_AGENT, name the caller itself, so that it reads its own mail.
//
// Notices that a person has not read need the person. So mail of human counts as read only at a terminal that is no
// agent's, or with --read: a script, and a model with --agent human, leave it unread.
func (a *App) ReadingCaller(lists bool) (schemas.Caller, error) {
	by, err := a.Caller(false)
	named := a.Agent != "" && a.Agent != a.Getenv("HANDOFF_AGENT") && by.Agent != schemas.Human
	if named && !a.MarkRead && (lists || a.AtTerminal()) {
		by.Scope = schemas.ScopeRead
	}
	if by.Agent == schemas.Human {
		by = a.WithoutMarking(by)
	}
	return by, err
}

// WithoutMarking returns a caller for the mail of human: it leaves the mail unread unless a person is there or --read
// is given.
func (a *App) WithoutMarking(by schemas.Caller) schemas.Caller {
	if whose, _ := identity.Caller("", a.Getenv, a.AtTerminal()); whose.Agent != schemas.Human && !a.MarkRead {
		by.Scope = schemas.ScopeRead
	}
	return by
}

// BindMarkRead gives a command that shows notices the flag --read.
func (a *App) BindMarkRead(flags *pflag.FlagSet) {
	flags.BoolVar(&a.MarkRead, "read", false, "with --agent: shown notices count as read, as if that agent, or the person, had listed them")
}

// ReadRemark says whether shown notices of an agent are read now. Unread is their number.
func (a *App) ReadRemark(by schemas.Caller, of schemas.Agent, unread int) string {
	switch {
	case unread == 0:
		return ""
	case by.Scope == schemas.ScopeRead:
		return fmt.Sprintf("%s of %s: unread as before. With --read they count as read.", schemas.Counted(unread, "new notice"), of)
	}
	return fmt.Sprintf("%s of %s: read now.", schemas.Counted(unread, "new notice"), of)
}

// Look is [App.Connect] for a command that only looks. If nobody has used the workspace it looks at an empty one, and
// makes none. The error is not_found for a typed name that no workspace has.
func (a *App) Look(ctx context.Context, by schemas.Caller, fn func(*Connection) error) error {
	place, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	if a.InDatabase() || !place.Untouched() {
		return a.Connect(ctx, by, fn)
	}
	if a.typedWorkspace() {
		return a.noWorkspace(a.likelyWorkspaces())
	}
	conn := &Connection{By: by, App: a, empty: open.Nothing(a.Now)}
	if err := conn.actAsSession(ctx); err != nil {
		return err
	}
	return fn(conn)
}

// InDatabase reports whether workspaces are in a database, and not in files of this machine.
func (a *App) InDatabase() bool { return a.Getenv("HANDOFF_STORE") != "" }

// ConnectFor is Look for a tool that only reads, else Connect.
func (a *App) ConnectFor(ctx context.Context, by schemas.Caller, tool string, fn func(*Connection) error) error {
	if readsOnly(tool) {
		return a.Look(ctx, by, fn)
	}
	return a.Connect(ctx, by, fn)
}

// readsOnly reports whether a tool only reads.
func readsOnly(tool string) bool {
	t, err := tools.Find(tool)
	return err == nil && t.ReadOnly
}

// NeedYou counts the items that need the calling person; 0 for an agent.
func (conn *Connection) NeedYou(ctx context.Context) (int, error) {
	if conn.By.Agent != schemas.Human {
		return 0, nil
	}
	var out schemas.OverviewOut
	_, err := conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: 1}, &out)
	return out.NeedsYou.Total, err
}

// typedWorkspace reports whether the command line names the workspace.
func (a *App) typedWorkspace() bool {
	return a.Workspace != "" && a.Workspace != a.Getenv("HANDOFF_WORKSPACE")
}

// checkTypedWorkspace refuses a typed name of a new workspace if it looks like a misspelled name of an existing one.
func (a *App) checkTypedWorkspace() error {
	place, err := workspace.Find(a.Location())
	if err != nil || a.InDatabase() || !a.typedWorkspace() || place.Exists() {
		return err
	}
	letters := func(name string) string { return strings.Join(strings.FieldsFunc(name, unicode.IsDigit), "") }
	likely := slices.DeleteFunc(a.likelyWorkspaces(), func(name string) bool { // longer names and names with other numbers are other names
		return strings.HasPrefix(name, a.Workspace) || strings.HasPrefix(a.Workspace, name) ||
			letters(name) == letters(a.Workspace)
	})
	if len(likely) == 0 {
		return nil
	}
	return a.noWorkspace(likely).WithHint("Did you mean %s? HANDOFF_WORKSPACE=%s in the environment makes a new one.",
		likely[0], a.Workspace)
}

func (a *App) noWorkspace(likely []string) *schemas.Error {
	e := schemas.Errorf(schemas.NotFound, "there is no workspace %s", schemas.Visible(a.Workspace)).WithField("workspace")
	if len(likely) == 0 {
		return e.WithHint("handoff workspace list shows which there are. The first send makes one.")
	}
	return e.WithHint("Did you mean %s? handoff workspace list shows which there are.", likely[0])
}

// likelyWorkspaces returns the names of workspaces that the typed name may mean.
func (a *App) likelyWorkspaces() []string {
	all, err := workspace.All(a.Getenv)
	if err != nil {
		return nil
	}
	return closest.Likely(a.Workspace, schemas.Map(all, func(w workspace.Workspace) string { return w.Name }))
}
