// Package figures measures the program and prints a table. It compares each time with a lower bound from the same run:
// a process that does nothing, a server of the SDK with one empty tool, bbolt alone, or the same work outside of git.
// Compare the ratios, because the times depend on the machine.
package figures
