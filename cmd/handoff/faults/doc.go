// Package faults proves that the store survives: it fails the system below the program, call by call, and cuts the
// power at every moment of a recorded run. It has only tests. They need Linux and strace, and report a skip
// elsewhere.
package faults
