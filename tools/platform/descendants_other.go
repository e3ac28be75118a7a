//go:build !linux

package platform

import "os/exec"

// Guard starts a command of [CancelTree]. Release kills the remaining processes of its group.
func Guard(cmd *exec.Cmd) (release func(), err error) {
	CancelTree(cmd)
	return func() { KillTree(cmd) }, cmd.Start()
}

// VisitDescendants finds none here.
func VisitDescendants(int, func(pid int)) {}

// KillDescendants does nothing here.
func KillDescendants(int) {}

// KillMarked does nothing here.
func KillMarked(string) {}

// MemoryExceeds is not implemented here.
func MemoryExceeds([]int, float64) bool { return false }
