//go:build unix && !386 && !arm && !mips && !mipsle

package bolt

// mapSize is the address space that a file gets from the beginning, in bytes. Reserved addresses use no memory. Up to
// this size a file grows without waiting for views to end; otherwise a view that waits for a writer would block for
// ever.
const mapSize = 64 << 30
