package process

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostAbove is how many processes [Above] looks at.
const mostAbove = 16

// Above gives the numbers of the processes above this one, nearest first: who started it, who started that, and so
// on. It leaves out the first process of the system, and ends where the system does not tell.
func Above() (all []int) {
	for pid := range above() {
		all = append(all, pid)
	}
	return all
}

// above gives them with their names, as far as the system tells.
func above() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		about := running()
		pid := os.Getppid()
		for range mostAbove {
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

// shells are programs that clients start others with. They may have ended a moment later.
var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "zsh", "busybox", "cmd", "powershell", "pwsh"}

// Client gives the number of the process that had this one started: the nearest above that is no shell, as far as the
// system tells.
func Client() int {
	for pid, name := range above() {
		name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe")
		if !slices.Contains(shells, name) {
			return pid
		}
	}
	return os.Getppid()
}
