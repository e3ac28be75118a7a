package platform

import (
	"crypto/sha256"
	"encoding/binary"
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

// AncestorIDs returns the ids of the same processes, see [ProcessID].
func AncestorIDs() (all []int) {
	for _, pid := range AncestorPIDs() {
		all = append(all, ProcessID(pid))
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

// ProcessID returns a positive number that identifies a running process: no other process gets it, not even one of
// another container, or a later one with the same process number. It is zero for the first process of a system, to
// which the orphans of all others belong, and if the system does not report the process. On systems other than Linux,
// macOS and Windows it is the process number.
func ProcessID(pid int) int {
	start, known := processStart(pid)
	if pid <= 1 || !known {
		return 0
	}
	sum := sha256.Sum256(fmt.Append(nil, BootID(), start, " ", pid))
	return int(binary.BigEndian.Uint32(sum[:])>>1) | 1
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

// starters are programs that start another program and wait for it, like shells.
var starters = []string{"env", "nice", "nohup", "npm", "npx", "pnpm", "setsid", "stdbuf", "time", "timeout", "uv", "uvx"}

// LauncherPID returns the number of the process that started this one: the nearest ancestor that is no shell and no
// other program of which clients make use to start a program. A shell without a command counts as the process that
// started this one: a person types into it. If the system reports no names, it is the parent.
func LauncherPID() int {
	for pid, name := range nearestAncestors(1000) {
		name, _, _ = strings.Cut(strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe"), " ")
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // only on Linux
		words := strings.FieldsFunc(string(line), func(r rune) bool { return r == 0 })
		typed := err == nil && !slices.ContainsFunc(words[min(1, len(words)):], func(w string) bool { return !strings.HasPrefix(w, "-") })
		if !slices.Contains(starters, name) && (!slices.Contains(shells, name) || typed) {
			return pid
		}
	}
	return os.Getppid()
}
