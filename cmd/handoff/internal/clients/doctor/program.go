package doctor

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/shell"
	"handoff/tools/platform"
)

// A CommandBuilder knows how a person calls handoff in their shell: the program, and the flags that select the examined
// workspace.
type CommandBuilder struct {
	Program        InstalledProgram
	DirFlag        string // the flag that makes a command use the same project, after a space; empty: it needs none
	WorkspaceFlags string // the flags that make it use the same workspace, each after a space
}

// commandLine writes a command about the workspace.
func (s CommandBuilder) commandLine(words string) string {
	return s.Program.ShellCommand() + " " + words + s.WorkspaceFlags
}

// An InstalledProgram describes two files: the running program, and the file that a shell starts for "handoff". The
// files differ, for example, if another version is installed in a directory of PATH.
type InstalledProgram struct {
	Path          string
	Version       string
	OnPath        string // the file that PATH leads to by the name; empty: none
	VersionOnPath string // the version of that file; empty: it does not answer as handoff does
}

// FindProgram describes the running program, which is at path, and the file that "handoff" starts. If the two files
// differ, it runs the second file to learn its version.
func FindProgram(ctx context.Context, path, version string, m client.Machine) InstalledProgram {
	p := InstalledProgram{Path: path, Version: version, OnPath: m.LookPath(client.ServerName)}
	switch {
	case p.OnPath == "":
	case p.isFileOnPath():
		p.VersionOnPath = version
	default:
		p.VersionOnPath = askVersion(ctx, p.OnPath)
	}
	return p
}

// isFileOnPath reports whether PATH leads to the file of the running program.
func (p InstalledProgram) isFileOnPath() bool {
	return platform.IsSameFile(p.OnPath, p.Path) // which is false for no file
}

// ShellCommand returns the text that starts this version in a shell: "handoff" if PATH leads to this version, otherwise
// the quoted path of the running program.
func (p InstalledProgram) ShellCommand() string {
	if p.isVersionOnPath() || p.Path == "" {
		return client.ServerName
	}
	return shell.Quote(p.Path)
}

// isVersionOnPath reports whether "handoff" in a shell starts this version of the program. It may start another file
// than the running one, if both have the same version.
func (p InstalledProgram) isVersionOnPath() bool {
	return p.OnPath != "" && p.VersionOnPath == p.Version
}

// ProgramForEntry returns the program for an entry that setup writes. In a project it is "handoff", because other
// people use the entry, too. For the user it is "handoff" if PATH leads to the running file, and otherwise the path of
// the running file.
func (p InstalledProgram) ProgramForEntry(scope client.Scope) string {
	if scope == client.Project || p.isFileOnPath() {
		return client.ServerName
	}
	return p.Path
}

// fixPathCommand returns a command after which "handoff" starts this version. It returns "" if "handoff" starts this
// version already. The command replaces a file only if that file is handoff, too.
func (p InstalledProgram) fixPathCommand() string {
	switch {
	case p.isVersionOnPath():
		return ""
	case p.VersionOnPath != "":
		return "ln -sf " + shell.JoinWords([]string{p.Path, p.OnPath})
	case client.IsHandoffCommand(p.Path):
		return "export PATH=" + shell.Quote(filepath.Dir(p.Path)) + `:"$PATH"`
	}
	return "mkdir -p ~/.local/bin && ln -s " + shell.Quote(p.Path) + ` ~/.local/bin/handoff && export PATH="$HOME/.local/bin:$PATH"`
}

const versionTimeout = 5 * time.Second

// askVersion runs the program at path and returns its version. It returns "" if the program is not handoff, or does not
// answer in time.
func askVersion(ctx context.Context, path string) string {
	ctx, end := context.WithTimeout(ctx, versionTimeout)
	defer end()
	var said platform.OutputTail
	cmd := exec.CommandContext(ctx, path, "version", "--json")
	cmd.Stdout = &said
	platform.CancelTree(cmd)
	var release struct{ Version, Go string }
	if cmd.Run() != nil || json.Unmarshal(said.Bytes(), &release) != nil || release.Go == "" {
		return ""
	}
	return strings.TrimSpace(release.Version)
}

// ExamineVersion examines whether PATH leads to this program.
func ExamineVersion(p InstalledProgram) Finding {
	switch {
	case p.OnPath == "":
		return warning(aboutVersion, "this is handoff %s, and PATH leads to none: clients that look there do not find it",
			p.Version).
			withCommand(p.fixPathCommand())
	case p.isFileOnPath():
		return ok(aboutVersion, "this is handoff %s, and PATH leads to it", p.Version)
	case p.VersionOnPath == p.Version:
		return ok(aboutVersion, "this is handoff %s, and PATH leads to another file of that version: %s", p.Version, p.OnPath)
	case p.VersionOnPath == "":
		return warning(aboutVersion,
			"this is handoff %s, and PATH leads to something else, which does not answer as handoff does: %s",
			p.Version, p.OnPath).withCommand(p.fixPathCommand())
	}
	return warning(aboutVersion, "this is handoff %s, and PATH leads to another, %s: %s", p.Version, p.VersionOnPath, p.OnPath).
		withCommand(p.fixPathCommand())
}
