package process

import (
	"fmt"
	"os"
	"strings"
)

// parentOf gives the process that started another, zero where it cannot be seen. The name of the process comes
// before it, in parentheses, and may hold any character (proc_pid_stat(5)).
func parentOf(pid int) (parent int) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	var state string
	after := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
	if _, err := fmt.Sscan(after, &state, &parent); err != nil {
		return 0
	}
	return parent
}
