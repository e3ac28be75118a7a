package process

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Adopt makes this process the parent of all below it whose own parent ends, as daemons make theirs, so that [Below] has
// them. Files that it was given beside its streams are not passed on. Only Linux can do the first.
func Adopt() error {
	syscall.CloseOnExec(3)
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Below gives the processes that this one started and those that they started, as far as they run. Of its own children
// that have ended it takes the status, except of the one that it waits for itself. It finds none where the system does
// not tell.
func Below(waited int) []int { return below(os.Getpid(), waited) }

func below(parent, waited int) (running []int) {
	children := map[int][]int{}
	ended := map[int]bool{}
	for _, pid := range all() {
		_, state, above := about(pid)
		if children[above] = append(children[above], pid); state == "Z" || state == "X" {
			ended[pid] = true
		}
	}
	level := children[parent]
	for _, pid := range level {
		if ended[pid] && pid != waited {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it may be gone
		}
	}
	for ; len(level) > 0; level = level[1:] {
		if pid := level[0]; !ended[pid] {
			running = append(running, pid)
		}
		level = append(level, children[level[0]]...)
	}
	return running
}

// all gives the numbers of all processes that this one can see.
func all() (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// endLimit is how long processes may take to be gone that were killed.
const endLimit = 10 * time.Second

// KillBelow kills all processes below one, this one or one that it started, and returns when they are gone.
func KillBelow(pid int) { killAll(func() []int { return below(pid, 0) }) }

// KillMarked kills all processes of this user that have an entry in their environment, as NAME=value, and returns when
// they are gone.
func KillMarked(entry string) {
	killAll(func() (marked []int) {
		for _, pid := range all() {
			environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if err == nil && pid != os.Getpid() && slices.Contains(strings.Split(string(environ), "\x00"), entry) {
				marked = append(marked, pid)
			}
		}
		return marked
	})
}

// killAll kills processes until there are none, with their groups: of a group none can start another one meanwhile.
func killAll(find func() []int) {
	own := syscall.Getpgrp()
	for over := time.Now().Add(endLimit); time.Now().Before(over); time.Sleep(5 * time.Millisecond) {
		pids := find()
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			if group, err := syscall.Getpgid(pid); err == nil && group == pid && group != own {
				_ = syscall.Kill(-group, syscall.SIGKILL)
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
