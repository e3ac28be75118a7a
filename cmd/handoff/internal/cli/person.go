package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// ConfirmPerson gets the proof that a person wants a call. The mailbox has refused the call without this proof. The
// proof is a setting of the person, or an answer at the terminal. The agent name human is no proof, because every agent
// with a shell can use it.
func (a *App) ConfirmPerson(ctx context.Context, refused *schemas.Error) (proof string, err error) {
	allowed, err := a.findApproval()
	switch {
	case err != nil:
		return "", err
	case allowed != "":
		return "setting " + allowed, nil
	}
	if err := a.confirmAtTerminal(ctx, refused.Message); err != nil {
		return "", err
	}
	return "terminal", nil
}

// patience is the time that ConfirmPerson waits for an answer. It is bounded, because the caller may be an agent
// without a person.
const patience = 2 * time.Minute

// confirmAtTerminal asks a question at the terminal of this process, even if the streams are redirected. If an agent's
// client started this process, it does not ask, because the client may control the terminal and could answer.
func (a *App) confirmAtTerminal(ctx context.Context, what string) error {
	var programs []string
	if a.Programs != nil {
		programs = a.Programs()
	}
	if client := identity.RunningClientTitle(a.Getenv, programs); client != "" {
		return schemas.Errorf(schemas.Denied, "%s, and this runs below %s, where no terminal is a person's", what, client).WithHint(
			"A person types the same command in a terminal that no client opened, or writes the name of the workspace, or *, into %s.", a.approvalsFile())
	}
	console, err := io.ReadWriteCloser(nil), errors.ErrUnsupported
	if a.Console != nil {
		console, err = a.Console()
	}
	if err != nil {
		return schemas.Errorf(schemas.Denied, "%s, and there is no terminal at which one could be asked", what).WithHint(
			"At a terminal the same command asks you. To allow it without a terminal, write the name of the workspace, or *, into %s.",
			a.approvalsFile())
	}
	defer console.Close()
	question := schemas.EscapeHidden(what) + ".\nYou act as human: is that what you want?" + yesOrNo
	if _, err := io.WriteString(console, question); err != nil {
		return schemas.InternalError(err)
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	typed, err := readTypedLine(ctx, console)
	if err != nil || !isYes(typed) {
		return schemas.Errorf(schemas.Denied, "it was not confirmed at the terminal").WithHint("Nothing was done.")
	}
	return nil
}

// approvalsFile returns the path of the file that lists the workspaces in which a caller may act as human without a
// terminal. The file is in the settings directory of the person, because agents can write into repositories.
func (a *App) approvalsFile() string { return filepath.Join(a.configDir(), "approvals") }

// configDir returns the directory of the person's own settings, which belong to no workspace and no project.
func (a *App) configDir() string {
	config := a.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(a.home(), ".config")
	}
	return filepath.Join(config, "handoff")
}

func (a *App) home() string { return workspace.Home(a.Getenv) }

// AllowsForms reports whether a form in a client's session may ask the person of this workspace. The person allows it
// with the file that also allows human to act without a terminal.
func (a *App) AllowsForms() bool {
	file, err := a.findApproval()
	return file != "" && err == nil
}

// findApproval returns the file that allows human to act in this workspace without a terminal, or "" if no file does.
func (a *App) findApproval() (file string, err error) {
	file = a.approvalsFile()
	written, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case err != nil:
		return "", schemas.Errorf(schemas.Denied, "read who may approve without a terminal: %w", err)
	}
	place, unfound := workspace.Find(a.WorkspaceConfig())
	project, err := a.WorkspaceConfig().ProjectDir()
	if err = cmp.Or(unfound, err); err != nil {
		return "", err
	}
	if names := strings.Fields(string(written)); !slices.Contains(names, place.Name) && !slices.Contains(names, "*") {
		return "", nil
	}
	if within, err := filepath.Rel(project, file); err == nil && filepath.IsLocal(within) {
		return "", schemas.Errorf(schemas.Denied, "%s is in the project, where agents write, so it allows nothing", file)
	}
	return file, nil
}
