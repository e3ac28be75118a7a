package doctor

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/shell"
	"handoff/tools/platform"
)

// A Shell is the shell into which a person pastes a remedy: the program's name there, and its flags.
type Shell struct {
	Program        Program
	DirFlag        string // the flag that makes a command use the same project, after a space; empty: it needs none
	WorkspaceFlags string // the flags that make it use the same workspace, each after a space
}

// line writes a command about the workspace.
func (s Shell) line(words string) string {
	return s.Program.Call() + " " + words + s.WorkspaceFlags
}

// A Program is the file of this program, together with the file that a shell starts by its name.
type Program struct {
	Path          string
	Version       string
	OnPath        string // the file that PATH leads to by the name; empty: none
	VersionOnPath string // the version of that file; empty: it does not answer as handoff does
}

// FindProgram finds the program on PATH, and asks it for its version.
func FindProgram(ctx context.Context, path, version string, m client.Machine) Program {
	p := Program{Path: path, Version: version, OnPath: m.LookPath(client.ServerName)}
	switch {
	case p.OnPath == "":
	case p.isOnPath():
		p.VersionOnPath = version
	default:
		p.VersionOnPath = versionOf(ctx, p.OnPath, m)
	}
	return p
}

// isOnPath reports whether PATH leads to this very file.
func (p Program) isOnPath() bool {
	one, errOne := os.Stat(p.OnPath)
	other, errOther := os.Stat(p.Path)
	return p.OnPath != "" && errOne == nil && errOther == nil && os.SameFile(one, other)
}

// Call returns the word that starts this program in a shell: its name if PATH leads to it, or to another file of its
// version; else its path.
func (p Program) Call() string {
	if p.isNamed() || p.Path == "" {
		return client.ServerName
	}
	return shell.Quote(p.Path)
}

// isNamed reports whether the name of this program leads to its version, in any file.
func (p Program) isNamed() bool { return p.OnPath != "" && p.VersionOnPath == p.Version }

// In returns the program's name or path as setup writes it in a scope: the name if PATH leads to this very file, or if
// the configuration is for others too; else the path.
func (p Program) In(scope client.Scope) string {
	if scope == client.Project || p.isOnPath() {
		return client.ServerName
	}
	return p.Path
}

// pathCommand returns the command after which PATH leads to this program. It is empty if PATH already does. It replaces
// no program that does not answer as handoff.
func (p Program) pathCommand() string {
	switch {
	case p.isNamed():
		return ""
	case p.VersionOnPath != "":
		return "ln -sf " + shell.Line([]string{p.Path, p.OnPath})
	case client.IsHandoff(p.Path):
		return "export PATH=" + shell.Quote(filepath.Dir(p.Path)) + `:"$PATH"`
	}
	return "mkdir -p ~/.local/bin && ln -s " + shell.Quote(p.Path) + ` ~/.local/bin/handoff && export PATH="$HOME/.local/bin:$PATH"`
}

const versionTimeout = 2 * time.Second

// versionOf asks a program for its version. It is empty if the program does not answer as handoff.
func versionOf(ctx context.Context, path string, m client.Machine) string {
	ctx, end := context.WithTimeout(ctx, versionTimeout)
	defer end()
	var said platform.Tail
	cmd := exec.CommandContext(ctx, path, "version", "--json")
	cmd.Env, cmd.Stdout = m.Environ(), &said
	platform.CancelTree(cmd)
	var release struct{ Version, Go string }
	if cmd.Run() != nil || json.Unmarshal(said.Bytes(), &release) != nil || release.Go == "" {
		return ""
	}
	return strings.TrimSpace(release.Version)
}

// Version examines whether PATH leads to this program.
func Version(p Program) Finding {
	switch {
	case p.OnPath == "":
		return warning(aboutVersion, "this is handoff %s, and PATH leads to none: clients that look there do not find it",
			p.Version).
			try(p.pathCommand())
	case p.isOnPath():
		return ok(aboutVersion, "this is handoff %s, and PATH leads to it", p.Version)
	case p.VersionOnPath == p.Version:
		return ok(aboutVersion, "this is handoff %s, and PATH leads to another file of that version: %s", p.Version, p.OnPath)
	case p.VersionOnPath == "":
		return warning(aboutVersion,
			"this is handoff %s, and PATH leads to something else, which does not answer as handoff does: %s",
			p.Version, p.OnPath).try(p.pathCommand())
	}
	return warning(aboutVersion, "this is handoff %s, and PATH leads to another, %s: %s", p.Version, p.VersionOnPath, p.OnPath).
		try(p.pathCommand())
}
