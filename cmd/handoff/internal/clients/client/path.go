package client

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Path names a file or directory on any machine. In it ~ is the home directory, ${NAME:-default} is a variable of
// the environment, and ${config} is the directory of the configuration of programs: ~/.config, or that of the
// system. A path that is not absolute then is within the project.
type Path string

// A Machine is where paths lead.
type Machine struct {
	Getenv  func(string) string
	Home    string // absolute
	Project string // absolute
	OS      string // as runtime.GOOS, which is meant when it is empty
}

// At gives the path on a machine, absolute.
func (p Path) At(m Machine) string {
	text := os.Expand(string(p), m.expand)
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		text = m.Home + rest
	}
	text = filepath.FromSlash(text)
	if filepath.IsAbs(text) {
		return filepath.Clean(text)
	}
	return filepath.Join(m.Project, text)
}

func (m Machine) expand(name string) string {
	if name == "config" {
		return m.config()
	}
	name, otherwise, _ := strings.Cut(name, ":-")
	if value := m.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// config is the directory that [os.UserConfigDir] would give on the machine.
func (m Machine) config() string {
	system := m.OS
	if system == "" {
		system = runtime.GOOS
	}
	switch {
	case system == "darwin":
		return m.Home + "/Library/Application Support"
	case system == "windows" && m.Getenv("APPDATA") != "":
		return m.Getenv("APPDATA")
	case filepath.IsAbs(m.Getenv("XDG_CONFIG_HOME")):
		return m.Getenv("XDG_CONFIG_HOME")
	}
	return m.Home + "/.config"
}

// Within tells whether a path is a directory or below it. It follows links.
func Within(dir, path string) bool {
	rest, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
