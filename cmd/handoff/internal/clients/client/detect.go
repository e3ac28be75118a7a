package client

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Detect tells whether a client is on a machine: its command is on PATH, or there is a trace of it.
func (c Client) Detect(m Machine) bool {
	return m.LookPath(c.Program) != "" || slices.ContainsFunc(c.Traces, func(p Path) bool {
		_, err := os.Stat(p.At(m))
		return err == nil
	})
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
