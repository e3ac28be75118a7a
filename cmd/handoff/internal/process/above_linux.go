package process

import (
	"fmt"
	"os"
	"strings"
)

// running returns a function for the name and the parent of a process, zero where the system does not tell.
func running() func(pid int) (name string, parent int) {
	return func(pid int) (string, int) {
		name, _, parent, _ := about(pid)
		return name, parent
	}
}

// about reads the stat of a process. The name is in parentheses, and may have any character (proc_pid_stat(5)).
func about(pid int) (name, state string, parent, session int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", 0, 0
	}
	stat := string(text)
	begin, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if begin < 0 || end < begin {
		return "", "", 0, 0
	}
	var group int
	_, _ = fmt.Sscan(stat[end+1:], &state, &parent, &group, &session) // they stand there in each
	return stat[begin+1 : end], state, parent, session
}
