package process

import "os"

// mostAbove is how many processes [Above] looks at.
const mostAbove = 16

// Above gives the numbers of the processes above this one, nearest first: who started it, who started that, and so
// on. It leaves out the first process of the system, and ends where the system does not tell.
func Above() (all []int) {
	for pid := os.Getppid(); pid > 1 && len(all) < mostAbove; pid = parentOf(pid) {
		all = append(all, pid)
	}
	return all
}
