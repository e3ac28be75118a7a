package client

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Found is what shows that a client is on a machine.
type Found struct {
	Command string // the path of its command; empty: it is not on PATH
	Trace   string // a file or directory of its configuration; empty: there is none
}

// Here tells whether anything was found.
func (f Found) Here() bool { return f.Command != "" || f.Trace != "" }

// Detect looks for a client.
func (c Client) Detect(m Machine) (f Found) {
	f.Command = m.LookPath(c.Program)
	for _, p := range c.Traces {
		if _, err := os.Stat(p.At(m)); err == nil {
			f.Trace = p.At(m)
			break
		}
	}
	return f
}

// Program gives the path of the file that a command starts. The command is a name or an absolute path. The result is
// empty if there is no such file.
func (m Machine) Program(command string) string {
	if !filepath.IsAbs(command) {
		return m.LookPath(command)
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return ""
	}
	return path
}

// LookPath gives the absolute path of a command on PATH of the machine, or nothing.
func (m Machine) LookPath(program string) string {
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a command of the current directory is nobody's client
		}
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	return ""
}

// IsHandoff tells whether a command is called as this program is, by its name or by a path of any system.
func IsHandoff(command string) bool {
	return strings.TrimSuffix(command[strings.LastIndexAny(command, `/\`)+1:], ".exe") == ServerName
}
