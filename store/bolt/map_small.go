//go:build !windows && (!unix || 386 || arm || mips || mipsle)

package bolt

// mapSize leaves the choice to bbolt on systems with little address space.
const mapSize = 0
