package serve

import (
	"context"
	"encoding/json"
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
	app  *cli.App
	open func(*cli.App, workspace.Workspace) (tools.Invoker, func() error, error)

	mu      sync.Mutex       // guards the fields below, which change only until the project is found
	config  workspace.Config // by which it was found: Dir may be a root of the client
	found   workspace.Workspace
	invoker tools.Invoker // nil until the project is found
	close   func() error
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
	if err == nil {
		_, err = a.WorkspaceConfig().FilesDir()
	}
	if err != nil {
		return noProjectError(a, schemas.AsError(err))
	}
	invoker, closeWorkspace, err := p.open(a, ws)
	if err == nil {
		p.config, p.found, p.invoker, p.close = a.WorkspaceConfig(), ws, invoker, closeWorkspace
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
	return p.found.Name, ""
}
