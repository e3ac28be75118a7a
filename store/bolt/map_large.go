//go:build unix && !386 && !arm && !mips && !mipsle

package bolt

// mapSize is the address space that a file gets from the beginning, in bytes. Reserved addresses use no memory. Up to
// this size a file grows without waiting for views to end. If the writer waited for a view that itself waits for the
// writer, both would block for ever.
const mapSize = 64 << 30
