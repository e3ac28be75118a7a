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

// Above returns the numbers of the processes above this one, nearest first: its parent, the parent of that, and so on,
// 16 at most. It leaves out the first process of the system, and ends where the system does not tell.
func Above() (all []int) {
	for pid := range above() {
		all = append(all, pid)
	}
	return all
}

// above yields them with their names, as far as the system tells.
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

// shells are programs with which clients start others. They may end at once.
var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "zsh", "busybox", "cmd", "powershell", "pwsh"}

// Client returns the number of the process that had this one started: the nearest above that is no shell. Where the
// system tells no names it is the parent.
func Client() int {
	for pid, name := range above() {
		name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe")
		if !slices.Contains(shells, name) {
			return pid
		}
	}
	return os.Getppid()
}
