//go:build !linux

package platform

import "os/exec"

// StartGuarded starts a command of [CancelTree]. Release kills the remaining processes of its group.
func StartGuarded(cmd *exec.Cmd) (release func(), err error) {
	CancelTree(cmd)
	return func() { KillTree(cmd) }, cmd.Start()
}

// VisitDescendants finds none here.
func VisitDescendants(int, func(pid int)) {}

// KillDescendants does nothing here.
func KillDescendants(int) {}

// KillByEnvironment does nothing here.
func KillByEnvironment(string) {}

// UsesTooMuchMemory is not implemented here.
func UsesTooMuchMemory([]int, float64) bool { return false }
