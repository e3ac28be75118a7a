package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

// clientProject is the project of a server for one client. A client may start its server in a directory that is no
// project, and some clients never start a server again. So the server runs without a project too: each call looks for
// the project, and gets an error while there is none. Once the server has a project, it keeps the project.
type clientProject struct {
	open func(*cli.App, workspace.Workspace) (tools.Invoker, func() error, error)

	mu      sync.Mutex // guards the fields below
	app     *cli.App   // its field Dir is a root of the client, if the project was found there
	found   workspace.Workspace
	invoker tools.Invoker // nil until the project is found
	close   func() error
}

// connect returns the way of calls to the workspace of the project. It opens the workspace at the first time.
func (p *clientProject) connect() (tools.Invoker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connectAs(p.app)
}

// connectAs is [clientProject.connect] for the project of an app, unless the project is found already. It is called
// with mu held.
func (p *clientProject) connectAs(a *cli.App) (tools.Invoker, error) {
	if p.invoker != nil {
		return p.invoker, nil
	}
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err == nil {
		_, err = a.WorkspaceConfig().FilesDir()
	}
	if err != nil {
		return nil, noProjectError(a, schemas.AsError(err))
	}
	invoker, closeWorkspace, err := p.open(a, ws)
	if err != nil {
		return nil, err
	}
	p.app, p.found, p.invoker, p.close = a, ws, invoker, closeWorkspace
	return invoker, nil
}

// noProjectError returns the error of a call for which there is no project. It says what to write into the client's
// configuration, because the user of a client cannot start its server elsewhere.
func noProjectError(a *cli.App, why *schemas.Error) *schemas.Error {
	const configure = `In the client's configuration of this server, write the directory of the project into its arguments, ` +
		`"args": ["mcp", "--dir", "/path/of/the/project"], or a name that all agents of the project share, ` +
		`"args": ["mcp", "--workspace", "NAME"]. Then restart the client. Nothing was done.`
	e := schemas.Errorf(schemas.Unavailable, "this server has no project: %s", why.Message)
	switch {
	case why.Code == schemas.Unavailable:
		return e.WithHint("%s", why.Hint)
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

// closeWorkspace closes the workspace if it is open.
func (p *clientProject) closeWorkspace() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.close == nil {
		return nil
	}
	return p.close()
}

// useRoots is [mcp.Config.UseRoots].
func (p *clientProject) useRoots(dirs []string) (known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, dir := range dirs {
		there := *p.app
		there.Dir = dir
		if _, err := p.connectAs(&there); err == nil {
			return true
		}
	}
	return p.invoker != nil || isProjectNamed(p.app)
}

// describe is [mcp.Config.Workspace].
func (p *clientProject) describe() (name, warning string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.connectAs(p.app); err != nil {
		e := schemas.AsError(err)
		return "", fmt.Sprintf("Each call will be refused: %s. %s", e.Message, e.Hint)
	}
	return p.found.Name, ""
}
