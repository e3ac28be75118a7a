package platform

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guardedProcesses are the commands that [StartGuarded] started and that were not released yet. They are listed here
// because the kernel only stores whether this process adopts orphans, and not for which commands.
var guardedProcesses = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// StartGuarded starts a command of [CancelTree] in a new session. Until the caller calls release, this process becomes
// the parent of each descendant of the command that outlives its own parent, such as a daemon. The caller calls release
// after it has waited for the command. Release kills these orphans, and returns when they have ended. File descriptor 3
// of this process is not passed to the command.
//
// No process can join another session. So other children of this process never count as orphans, and their exit status
// is left to their callers.
func StartGuarded(cmd *exec.Cmd) (release func(), err error) {
	CancelTree(cmd)
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid = false, true
	guardedProcesses.Lock()
	defer guardedProcesses.Unlock()
	syscall.CloseOnExec(3)
	if err = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	guardedProcesses.pids[cmd.Process.Pid] = true
	return func() {
		guardedProcesses.Lock()
		delete(guardedProcesses.pids, cmd.Process.Pid)
		guardedProcesses.Unlock()
		KillDescendants(0)
		guardedProcesses.Lock()
		defer guardedProcesses.Unlock()
		if len(guardedProcesses.pids) == 0 {
			_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) // the call cannot fail here
		}
	}, nil
}

// VisitDescendants visits the running descendants of the guarded process guard, the process itself, and all orphans
// with their descendants. If guard is 0, it visits only the orphans. It collects the exit status of orphans that have
// ended. It visits nothing if the system does not report processes.
func VisitDescendants(guard int, visit func(pid int)) {
	guardedProcesses.Lock()
	defer guardedProcesses.Unlock()
	self := os.Getpid()
	session, _ := unix.Getsid(0)
	family, strangers := map[int]bool{guard: guard != 0}, map[int]int{} // these with their parents
	visitAllProcesses(func(pid int) {
		_, ended, parent, of, _ := processInfo(pid)
		orphan := parent == self && of != session && !guardedProcesses.pids[pid]
		switch {
		case ended && orphan:
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it may be gone
		case ended:
		case orphan || family[parent] || family[pid]:
			family[pid] = true
			visit(pid)
		default:
			strangers[pid] = parent
		}
	})
	for found := true; found; {
		found = false
		for pid, parent := range strangers { // numbers began anew, so a child was seen before its parent
			if family[parent] {
				delete(strangers, pid)
				family[pid], found = true, true
				visit(pid)
			}
		}
	}
}

// visitAllProcesses visits all visible processes in the order of their numbers. So it usually visits a process before
// the processes that this process starts meanwhile.
func visitAllProcesses(visit func(pid int)) {
	proc, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer proc.Close()
	for err == nil {
		var names []string
		names, err = proc.Readdirnames(64)
		for _, name := range names {
			if pid, other := strconv.Atoi(name); other == nil {
				visit(pid)
			}
		}
	}
}

// endLimit is the time that killed processes may take to end.
const endLimit = 10 * time.Second

// KillDescendants kills the processes that [VisitDescendants] visits, and returns when they have ended.
func KillDescendants(guard int) {
	killUntilNoneFound(func(kill func(pid int)) { VisitDescendants(guard, kill) })
}

// KillByEnvironment kills all processes of this user with the entry NAME=value in their environment, and returns when
// they have ended.
func KillByEnvironment(entry string) {
	killUntilNoneFound(func(kill func(pid int)) {
		visitAllProcesses(func(pid int) {
			environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if err == nil && pid != os.Getpid() && slices.Contains(strings.Split(string(environ), "\x00"), entry) {
				kill(pid)
			}
		})
	})
}

// killUntilNoneFound kills the processes that find reports, and repeats this until find reports none. It kills whole
// process groups at once, so that no member can start another process meanwhile.
func killUntilNoneFound(find func(kill func(pid int))) {
	own, over := syscall.Getpgrp(), time.After(endLimit)
	for {
		left := false
		find(func(pid int) {
			left = true
			if group, err := syscall.Getpgid(pid); err == nil && group == pid && group != own {
				_ = syscall.Kill(-group, syscall.SIGKILL)
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		})
		if !left {
			return
		}
		select {
		case <-over:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}
