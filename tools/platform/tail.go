package platform

// tailSize is the number of bytes that a [OutputTail] keeps.
const tailSize = 64 << 10

// An OutputTail keeps the last 64 KiB that are written to it, so that the output of a command cannot fill the memory.
// The zero value is ready. One goroutine at a time may use it.
type OutputTail struct{ kept []byte }

// Write adds p and drops the oldest bytes. It always returns len(p) and no error.
func (t *OutputTail) Write(p []byte) (int, error) {
	written := len(p)
	p = p[max(0, len(p)-tailSize):]
	if over := len(t.kept) + len(p) - tailSize; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
	}
	t.kept = append(t.kept, p...)
	return written, nil
}

// Bytes returns the kept bytes. The next Write changes them.
func (t *OutputTail) Bytes() []byte { return t.kept }

func (t *OutputTail) String() string { return string(t.kept) }
