// Package figures measures the program beside what it cannot be faster than, in the same run: processes that do
// nothing, a server of the SDK with one empty tool, and bbolt by hand. It has only a test, which prints one table; what
// it says of a machine is the ratios, since the times are those of the machine.
package figures
