package platform

import (
	"os/exec"
	"syscall"
	"time"
)

// waitDelay is the time to wait for the output of a command that was killed, or that has ended while its children still
// have the output open.
const waitDelay = time.Second

// CancelTree makes a command end together with all processes that it started, when its context ends. Otherwise only its
// first process would be killed, which may be a shell. The command comes from [exec.CommandContext] and is not started
// yet. Ctrl-C on a terminal does not reach the command, so the caller ends the context.
func CancelTree(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	setGroupLeader(cmd.SysProcAttr)
	cmd.Cancel = func() error { return killProcessTree(cmd.Process) }
	cmd.WaitDelay = waitDelay
}

// KillTree kills a command of [CancelTree] and all processes that it started, also after the command itself has ended.
// The exception is Windows, where it finds no process if the command has ended.
func KillTree(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = killProcessTree(cmd.Process) // it fails if none is left
	}
}
