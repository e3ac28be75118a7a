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

// Looker is [App.Caller] for a command that only looks. Who names another with --agent sees what that one sees and reads
// nothing for it: its notices stay unread, and its claims are not renewed, unless --read says otherwise. That holds for
// a person at a terminal, and for everybody where it is a whole list. The surroundings of an agent, and HANDOFF_AGENT,
// say who looks, so that one reads its own mail.
//
// What a person has not read needs the person. So mail of human is read at a terminal that is no agent's, or with
// --read: a script, and a model that says --agent human, leave it unread.
func (a *App) Looker(lists bool) (schemas.Caller, error) {
	by, err := a.Caller(false)
	named := a.Agent != "" && a.Agent != a.Getenv("HANDOFF_AGENT") && by.Agent != schemas.Human
	if named && !a.Reads && (lists || a.AtTerminal()) {
		by.Scope = schemas.ScopeRead
	}
	if by.Agent == schemas.Human {
		by = a.Unread(by)
	}
	return by, err
}

// Unread is a caller that looks at the mail of human: it leaves that unread unless a person is there or --read says
// otherwise.
func (a *App) Unread(by schemas.Caller) schemas.Caller {
	if whose, _ := identity.Caller("", a.Getenv, a.AtTerminal()); whose.Agent != schemas.Human && !a.Reads {
		by.Scope = schemas.ScopeRead
	}
	return by
}

// BindReads gives a command that shows notices the flag --read.
func (a *App) BindReads(flags *pflag.FlagSet) {
	flags.BoolVar(&a.Reads, "read", false, "with --agent: shown notices count as read, as if that agent, or the person, had listed them")
}

// MarkedRead says what looking has done to so many unread notices of an agent that were shown.
func (a *App) MarkedRead(by schemas.Caller, of schemas.Agent, unread int) string {
	switch {
	case unread == 0:
		return ""
	case by.Scope == schemas.ScopeRead:
		return fmt.Sprintf("%s of %s: unread as before. With --read they count as read.", schemas.Counted(unread, "new notice"), of)
	}
	return fmt.Sprintf("%s of %s: read now.", schemas.Counted(unread, "new notice"), of)
}

// Look is [App.Connect] for a command that only looks. Where nobody has used the workspace it looks at one in which
// there is nothing, and makes none. The error is not_found for a name that was typed and that no workspace has.
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
	conn := &Connection{By: by, App: a, nothing: open.Nothing(a.Now)}
	if err := conn.actAsSession(ctx); err != nil {
		return err
	}
	return fn(conn)
}

// InDatabase tells whether workspaces are in a database, and not in files of this machine.
func (a *App) InDatabase() bool { return a.Getenv("HANDOFF_STORE") != "" }

// Reach is Connect or Look, as the tool changes something or not.
func (a *App) Reach(ctx context.Context, by schemas.Caller, tool string, fn func(*Connection) error) error {
	if reads(tool) {
		return a.Look(ctx, by, fn)
	}
	return a.Connect(ctx, by, fn)
}

// reads tells whether a tool only reads.
func reads(tool string) bool {
	t, err := tools.Find(tool)
	return err == nil && t.ReadOnly
}

// NeedYou counts what needs the person who looks; nothing where an agent does.
func (conn *Connection) NeedYou(ctx context.Context) (int, error) {
	if conn.By.Agent != schemas.Human {
		return 0, nil
	}
	var out schemas.OverviewOut
	_, err := conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: 1}, &out)
	return out.NeedsYou.Total, err
}

// typedWorkspace tells whether the workspace was named on the command line.
func (a *App) typedWorkspace() bool {
	return a.Workspace != "" && a.Workspace != a.Getenv("HANDOFF_WORKSPACE")
}

// checkTyped refuses to make a workspace whose name was typed and is another's but for a slip.
func (a *App) checkTyped() error {
	place, err := workspace.Find(a.Location())
	if err != nil || a.InDatabase() || !a.typedWorkspace() || place.Exists() {
		return err
	}
	letters := func(name string) string { return strings.Join(strings.FieldsFunc(name, unicode.IsDigit), "") }
	likely := slices.DeleteFunc(a.likelyWorkspaces(), func(name string) bool { // the longer and the numbered are other names
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

// likelyWorkspaces are the names of workspaces that may be meant by the one that was typed.
func (a *App) likelyWorkspaces() []string {
	all, err := workspace.All(a.Getenv)
	if err != nil {
		return nil
	}
	return closest.Likely(a.Workspace, schemas.Map(all, func(w workspace.Workspace) string { return w.Name }))
}
