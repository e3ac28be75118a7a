package doctor

import (
	"bytes"
	"fmt"
	"os"
)

// isStopped tells whether a process was stopped, as by Ctrl-Z or a debugger.
func isStopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	after := bytes.LastIndexByte(stat, ')') // the name before it may hold anything
	return after >= 0 && after+2 < len(stat) && bytes.IndexByte([]byte("Tt"), stat[after+2]) >= 0
}
