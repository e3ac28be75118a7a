package hook

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// shell is a shell that leads a process group of its own, so that it can be asked to end without ending us. Its
// command line is given whole: cmd reads quotes as no other program does.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd /S /C "` + command + `"`,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP,
	}
	return cmd
}

// end asks the command to end, or ends it with all it started.
func end(cmd *exec.Cmd, s syscall.Signal) {
	pid := cmd.Process.Pid
	if s != syscall.SIGKILL {
		_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(pid)) //nolint:gosec // it fits; the process may have ended
		return
	}
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() //nolint:gosec // a number; it may have ended
}
