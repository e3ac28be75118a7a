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

// guardedProcesses are the processes that run under [Guard]. The kernel knows of a process only whether it adopts orphans.
var guardedProcesses = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// Guard starts a command of [CancelTree] in a session of its own. Until it is released, which is when the command was
// waited for, this process adopts all below it whose own parent ends, as daemons make theirs. No process can come into
// the session of another, so those in the session of this process are never taken for orphans, nor is their status
// taken. Release kills the orphans, and returns when they are gone. The file that this process was given beside its
// streams is not passed on.
func Guard(cmd *exec.Cmd) (release func(), err error) {
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
			_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) // it can
		}
	}, nil
}

// VisitDescendants visits a process that this one guards, 0 for none, those below it, and orphans with those below
// them, as far as they run. Of orphans that have ended it takes the status. It finds none where the system does not
// tell.
func VisitDescendants(guard int, visit func(pid int)) {
	guardedProcesses.Lock()
	defer guardedProcesses.Unlock()
	self := os.Getpid()
	session, _ := unix.Getsid(0)
	family, strangers := map[int]bool{guard: guard != 0}, map[int]int{} // these with their parents
	visitAll(func(pid int) {
		_, ended, parent, of := processInfo(pid)
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

// visitAll visits all processes that this one can see, in their order: a process that starts others meanwhile is before
// those, unless numbers began anew.
func visitAll(visit func(pid int)) {
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

// endLimit is how long processes may take to be gone that were killed.
const endLimit = 10 * time.Second

// KillDescendants kills what [VisitDescendants] visits, and returns when it is gone.
func KillDescendants(guard int) { killAll(func(kill func(pid int)) { VisitDescendants(guard, kill) }) }

// KillMarked kills all processes of this user that have an entry in their environment, as NAME=value, and returns when
// they are gone.
func KillMarked(entry string) {
	killAll(func(kill func(pid int)) {
		visitAll(func(pid int) {
			environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if err == nil && pid != os.Getpid() && slices.Contains(strings.Split(string(environ), "\x00"), entry) {
				kill(pid)
			}
		})
	})
}

// killAll kills processes as they are found, until there are none, with their groups: of a group none can start another
// one meanwhile.
func killAll(find func(kill func(pid int))) {
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
