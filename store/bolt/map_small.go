//go:build !windows && (!unix || 386 || arm || mips || mipsle)

package bolt

// mapSize is left to bbolt where there is little address space.
const mapSize = 0
