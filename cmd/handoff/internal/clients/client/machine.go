package client

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"handoff/tools/platform"
)

// A Path is the path of a file or directory, with placeholders that differ between machines. "~" is the home directory,
// ${NAME:-default} is a variable of the environment, and ${config} is the directory in which the operating system keeps
// the settings of programs (such as ~/.config on Linux). ${settings} is the same directory, except on a Mac, where it
// is ~/.config. A relative path is relative to the project.
type Path string

// A Machine is the environment in which paths are resolved.
type Machine struct {
	Getenv  func(string) string
	Home    string // absolute
	Project string // absolute
	OS      string // as runtime.GOOS; empty: this system
}

// ResolveOn resolves the path on a machine. The result is absolute.
func (p Path) ResolveOn(m Machine) string {
	text := os.Expand(string(p), m.expandVariable)
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		text = m.Home + rest
	}
	text = filepath.FromSlash(text)
	if filepath.IsAbs(text) {
		return filepath.Clean(text)
	}
	return filepath.Join(m.Project, text)
}

// existsOn reports whether the path leads to a file or directory.
func (p Path) existsOn(m Machine) bool {
	_, err := os.Stat(p.ResolveOn(m))
	return err == nil
}

func (m Machine) expandVariable(name string) string {
	switch name {
	case "config":
		return m.configDir()
	case "settings":
		return m.settingsDir()
	}
	name, otherwise, _ := strings.Cut(name, ":-")
	return cmp.Or(m.Getenv(name), otherwise)
}

// configDir returns the directory that [os.UserConfigDir] would return on the machine.
func (m Machine) configDir() string {
	switch system := cmp.Or(m.OS, runtime.GOOS); {
	case system == "darwin":
		return m.Home + "/Library/Application Support"
	case system == "windows" && m.Getenv("APPDATA") != "":
		return m.Getenv("APPDATA")
	case filepath.IsAbs(m.Getenv("XDG_CONFIG_HOME")):
		return m.Getenv("XDG_CONFIG_HOME")
	}
	return m.Home + "/.config"
}

// settingsDir returns the settings directory of programs that use ~/.config even on a Mac.
func (m Machine) settingsDir() string {
	if cmp.Or(m.OS, runtime.GOOS) == "darwin" {
		return m.Home + "/.config"
	}
	return m.configDir()
}

// IsWithin reports whether path is dir or lies below dir, after all links are resolved.
func IsWithin(dir, path string) bool {
	rest, err := filepath.Rel(platform.ResolveLinks(dir), platform.ResolveLinks(path))
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// IsFoundOn reports whether a client is on a machine: its command is on PATH, or one of its files exists.
func (c Client) IsFoundOn(m Machine) bool {
	return m.LookPath(c.Program) != "" || slices.ContainsFunc(c.Traces, func(p Path) bool { return p.existsOn(m) })
}

// ProgramPath returns the path of the file that a command starts, or "" if no such file exists. The command is a name
// or an absolute path.
func (m Machine) ProgramPath(command string) string {
	if !filepath.IsAbs(command) {
		return m.LookPath(command)
	}
	path, _ := exec.LookPath(command)
	return path
}

// LookPath returns the absolute path of a command on the machine's PATH, or "" if PATH has no such command.
func (m Machine) LookPath(program string) string {
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a command in the current directory is no client
		}
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	return ""
}

// IsHandoffCommand reports whether a command is "handoff", alone or at the end of a Unix or Windows path.
func IsHandoffCommand(command string) bool {
	return strings.TrimSuffix(command[strings.LastIndexAny(command, `/\`)+1:], ".exe") == ServerName
}
