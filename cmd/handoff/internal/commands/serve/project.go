package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

// clientProject is the project of a server for one client. A client may start its server in a directory that is no
// project, and some clients never start a server again. So the server runs without a project too: each call looks for
// the project, and gets an error while there is none. Once the server has a project, it keeps the project.
type clientProject struct {
	app  *cli.App
	open func(a *cli.App, ws workspace.Workspace, files string) (tools.Invoker, func() error, error)

	mu      sync.Mutex // guards the fields below; the next four change only until the project is found
	at      *cli.App   // with which it was found: Dir may be a root of the client
	found   workspace.Workspace
	invoker tools.Invoker // nil until the project is found
	close   func() error

	warning  string // about the workspace
	lookedAt time.Time
}

// connect returns the way of calls to the workspace of the project. The first call that finds the project opens the
// workspace. It looks in the directory of the app, and then in the given roots of the client.
func (p *clientProject) connect(roots ...string) (_ tools.Invoker, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, dir := range append([]string{p.app.Dir}, roots...) {
		if p.invoker != nil {
			return p.invoker, nil
		}
		there := *p.app
		there.Dir = dir
		if failed := p.openAs(&there); err == nil {
			err = failed
		}
	}
	return p.invoker, err
}

func (p *clientProject) openAs(a *cli.App) error {
	ws, err := workspace.Find(a.WorkspaceConfig())
	files, failed := a.WorkspaceConfig().FilesDir()
	if err = cmp.Or(err, failed); err != nil {
		return noProjectError(a, schemas.AsError(err))
	}
	invoker, closeWorkspace, err := p.open(a, ws, files)
	if err == nil {
		p.at, p.found, p.invoker, p.close = a, ws, invoker, closeWorkspace
	}
	return err
}

// noProjectError returns the error of a call for which there is no project. It says what to write into the client's
// configuration, because the user of a client cannot start its server elsewhere.
func noProjectError(a *cli.App, why *schemas.Error) *schemas.Error {
	const configure = `In the client's configuration of this server, write the directory of the project into its arguments, ` +
		`"args": ["mcp", "--dir", "/path/of/the/project"], or a name that all agents of the project share, ` +
		`"args": ["mcp", "--workspace", "NAME"]. Then restart the client. Nothing was done.`
	e := schemas.Errorf(schemas.Unavailable, "this server has no project: %s", why.Message)
	switch {
	case why.Code == schemas.Unavailable: // no home directory
		return why
	case why.Code == schemas.Invalid && !isProjectNamed(a):
		return e.WithHint(configure)
	}
	return e.WithHint("%s %s", why.Hint, configure)
}

// isProjectNamed reports whether a flag or a variable named the project or the workspace.
func isProjectNamed(a *cli.App) bool { return a.Dir != "" || a.Workspace != "" }

// Invoke passes a call to the workspace of the project.
func (p *clientProject) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	to, err := p.connect()
	if err != nil {
		return nil, err
	}
	return to.Invoke(ctx, c)
}

// Changes follows the events of the workspace.
func (p *clientProject) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	to, err := p.connect()
	if err != nil {
		return func(yield func(schemas.RegistryChange, error) bool) { yield(schemas.RegistryChange{}, err) }
	}
	return to.Changes(ctx, after)
}

// useRoots is [mcp.Config.UseRoots].
func (p *clientProject) useRoots(roots []string) (known bool) {
	_, err := p.connect(roots...)
	return err == nil || isProjectNamed(p.app)
}

// describe is [mcp.Config.Workspace].
func (p *clientProject) describe() (name, warning string) {
	if _, err := p.connect(); err != nil {
		return "", "Each call will be refused: " + schemas.AsError(err).Message + ". " + schemas.AsError(err).Hint
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.app.Now(); now.Sub(p.lookedAt) >= lookInterval {
		p.warning = p.partingWarning(p.lookedAt.IsZero())
		p.lookedAt = now
	}
	return p.found.Name, p.warning
}

const (
	lookInterval = time.Second            // between two looks whether the project is still where it was
	emptyTimeout = 250 * time.Millisecond // time limit of the question whether the workspace is empty
)

// partingWarning returns a warning if new sessions of the project use another workspace than this server: its directory
// was moved, or became a git repository. At the first look it also names the workspace that a moved project had before,
// if the present one is empty. It is called with mu held.
func (p *clientProject) partingWarning(first bool) string {
	const way = "New sessions and shells there use another workspace. To bring the work of this one along, end its sessions, then run: "
	now, err := workspace.Find(p.at.WorkspaceConfig())
	switch {
	case p.found.Project == "":
		return ""
	case workspace.IsProjectGone(p.found.Project):
		dir, err := os.Getwd() // it moves with the directory
		if err != nil || dir == p.at.Cwd || p.at.Dir != "" {
			dir = "DIRECTORY"
		}
		return fmt.Sprintf("The project of this workspace is not at %s any more. %s%s", p.found.Project, way, workspace.AdoptCommand(p.found, dir))
	case err == nil && now.Name != p.found.Name:
		dir, _ := p.at.WorkspaceConfig().ProjectDir() // Find found it
		return fmt.Sprintf("%s belongs to workspace %s now. %s%s", dir, now.Name, way, workspace.AdoptCommand(p.found, dir))
	case !first:
		return p.warning
	}
	ctx, cancel := context.WithTimeout(context.Background(), emptyTimeout)
	defer cancel()
	newest, failed := tools.InvokeTyped[schemas.NewestOut](ctx, p.invoker, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
	if failed != nil || newest.Event > 0 {
		return ""
	}
	return p.at.MovedWorkspaces()
}
