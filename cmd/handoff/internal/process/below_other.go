//go:build !linux

package process

import "os/exec"

// Guard starts a command of [Tree]. Release kills what is left of its group.
func Guard(cmd *exec.Cmd) (release func(), err error) {
	Tree(cmd)
	return func() { Kill(cmd) }, cmd.Start()
}

// Below finds none here.
func Below(int, func(pid int)) {}

// KillBelow does nothing here.
func KillBelow(int) {}

// KillMarked does nothing here.
func KillMarked(string) {}

// Hungry tells nothing here.
func Hungry([]int, float64) bool { return false }
