package platform

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// running returns a function for the name and the parent of a process, zero where the system does not tell.
func running() func(pid int) (name string, parent int) {
	return func(pid int) (string, int) {
		name, _, parent, _ := about(pid)
		return name, parent
	}
}

// about reads the stat of a process. The name is in parentheses, and may have any character (proc_pid_stat(5)). A
// process has ended once its last thread has, and its children have another parent: the state alone is that of its
// first thread.
func about(pid int) (name string, ended bool, parent, session int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	stat := string(text)
	begin, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if err != nil || begin < 0 || end < begin {
		return "", true, 0, 0
	}
	fields := strings.Fields(stat[end+1:]) // from the third on
	parent, _ = strconv.Atoi(fields[1])
	session, _ = strconv.Atoi(fields[3])
	threads, _ := strconv.Atoi(fields[17])
	return stat[begin+1 : end], threads <= 1 && strings.Contains("ZX", fields[0]), parent, session
}
