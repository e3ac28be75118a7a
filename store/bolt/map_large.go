//go:build unix && !386 && !arm && !mips && !mipsle

package bolt

// mapSize is how much address space a file gets from the beginning. It costs
// nothing, and within it a file grows without waiting for views to end; a view
// that in turn waits for a writer would otherwise wait for ever.
const mapSize = 64 << 30
