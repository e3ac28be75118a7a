//go:build unix && !386 && !arm && !mips && !mipsle

package bolt

// mapSize is how much address space a file gets from the beginning, in bytes. It costs nothing. Up to this size a file
// grows without waiting for views to end; a view that itself waits for a writer would otherwise wait for ever.
const mapSize = 64 << 30
