package platform

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// AncestorPIDs returns the numbers of this process's parent, grandparent and so on, at most 16. It leaves out the first
// process of the system. It stops at a process whose parent the system does not report.
func AncestorPIDs() (all []int) {
	for pid := range nearestAncestors(16) {
		all = append(all, pid)
	}
	return all
}

// nearestAncestors yields the numbers and names of the nearest ancestors of this process, at most `most` of them.
func nearestAncestors(most int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		about := processLookup()
		pid := os.Getppid()
		for range most {
			if pid <= 1 {
				return
			}
			name, parent := about(pid)
			if !yield(pid, name) {
				return
			}
			pid = parent
		}
	}
}

// AncestorPrograms returns the names of the programs of all ancestors that the system reports. If an interpreter runs a
// program, such as a client written for node, the result also has the name of the program's file.
func AncestorPrograms() (names []string) {
	for pid, name := range nearestAncestors(1000) {
		names = append(names, name)
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // only on Linux
		if words := strings.Split(string(line), "\x00"); len(words) > 1 && slices.Contains(interpreters, filepath.Base(words[0])) {
			names = append(names, filepath.Base(words[1]))
		}
	}
	return names
}

var interpreters = []string{"node", "bun", "deno"}

// shells are programs that clients use to start other programs. A shell may end right after it has started a program,
// so a shell never counts as the client.
var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "zsh", "busybox", "cmd", "powershell", "pwsh"}

// LauncherPID returns the number of the process that started this one: the nearest ancestor that is no shell. If the
// system reports no names, it is the parent.
func LauncherPID() int {
	for pid, name := range nearestAncestors(1000) {
		name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe")
		if !slices.Contains(shells, name) {
			return pid
		}
	}
	return os.Getppid()
}
