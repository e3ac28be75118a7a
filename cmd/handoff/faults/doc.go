// Package faults proves what survives: it fails the system below the program, call by call, and cuts the power at every
// moment of a recorded run. It has only tests. They need Linux and strace, and are skipped aloud elsewhere.
package faults
