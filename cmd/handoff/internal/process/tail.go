package process

// tailed is how much a [Tail] keeps, in bytes.
const tailed = 64 << 10

// A Tail keeps the end of what is written to it, so that a command that does not stop talking fills no memory. It tells
// that all was written. The zero value is ready.
type Tail struct{ kept []byte }

// Write takes up p, and lets go of what is too long ago.
func (t *Tail) Write(p []byte) (int, error) {
	written := len(p)
	p = p[max(0, len(p)-tailed):]
	if over := len(t.kept) + len(p) - tailed; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
	}
	t.kept = append(t.kept, p...)
	return written, nil
}

// Bytes gives what is kept, which the next Write changes.
func (t *Tail) Bytes() []byte { return t.kept }

func (t *Tail) String() string { return string(t.kept) }
