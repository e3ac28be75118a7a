// Package faults tests that the store survives failures of the operating system: it makes system calls of the program
// fail, one after the other, and cuts the power at each moment of a recorded run. The tests need Linux and strace, and
// are skipped elsewhere.
package faults
