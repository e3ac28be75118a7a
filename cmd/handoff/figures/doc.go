// Package figures measures the program against lower bounds in the same run: processes that do nothing, a server of
// the SDK with one empty tool, and bbolt alone. It has only a test, which prints one table. Compare the ratios,
// because the times depend on the machine.
package figures
