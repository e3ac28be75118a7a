//go:build !unix || 386 || arm || mips || mipsle

package bolt

// mapSize is not set where there is little address space, nor on Windows,
// where the file itself would grow to it.
const mapSize = 0
