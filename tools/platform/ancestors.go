package platform

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Ancestors returns the numbers of the processes above this one, nearest first: its parent, the parent of that, and so
// on, 16 at most. It leaves out the first process of the system, and ends where the system does not tell.
func Ancestors() (all []int) {
	for pid := range ancestors(16) {
		all = append(all, pid)
	}
	return all
}

// ancestors yields so many of them at most with their names, as far as the system tells.
func ancestors(most int) iter.Seq2[int, string] {
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

// AncestorPrograms returns the names of the programs above this process, as far as the system tells. For one that an
// interpreter runs, as a client written for node, it has the name of the file, too.
func AncestorPrograms() (names []string) {
	for pid, name := range ancestors(1000) {
		names = append(names, name)
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // Linux alone tells
		if words := strings.Split(string(line), "\x00"); len(words) > 1 && slices.Contains(interpreters, filepath.Base(words[0])) {
			names = append(names, filepath.Base(words[1]))
		}
	}
	return names
}

var interpreters = []string{"node", "bun", "deno"}

// shells are programs with which clients start others. They may end at once.
var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "zsh", "busybox", "cmd", "powershell", "pwsh"}

// Launcher returns the number of the process that had this one started: the nearest above that is no shell. Where the
// system tells no names it is the parent.
func Launcher() int {
	for pid, name := range ancestors(1000) {
		name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe")
		if !slices.Contains(shells, name) {
			return pid
		}
	}
	return os.Getppid()
}
