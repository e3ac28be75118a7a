package process

import (
	"os/exec"
	"syscall"
	"time"
)

// lingering is how long the output of a command is waited for that was killed, or that left it to others.
const lingering = time.Second

// Tree has a command end together with all that it started when its context does. Otherwise only the process itself
// would be killed, and what is run may be a shell. The command is one of [exec.CommandContext] and not started yet.
// Ctrl-C on a terminal does not reach it: the context has to end.
func Tree(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	lead(cmd.SysProcAttr)
	cmd.Cancel = func() error { return kill(cmd.Process) }
	cmd.WaitDelay = lingering
}

// Kill kills a command of [Tree] and all that it started, or what is left of that after its end. On Windows nothing
// tells then what it started.
func Kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = kill(cmd.Process) // nobody may be left
	}
}
