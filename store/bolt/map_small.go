//go:build !unix || 386 || arm || mips || mipsle

package bolt

// mapSize is left to bbolt where there is little address space, and on Windows, where the file itself would get this
// size.
const mapSize = 0
