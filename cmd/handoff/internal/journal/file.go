package journal

import (
	"os"
	"sync"
)

const fullAt = 1 << 20 // bytes

// A file takes whole lines, and begins anew when it is full.
type file struct {
	path string

	mu     sync.Mutex // guards the fields below: Close does not wait long for the last Write
	out    *os.File   // nil before the first line
	size   int64
	closed bool // nothing is written any more
}

// Write adds a line if that is possible. It gives no error, because one is no reason to lose the next line too.
func (f *file) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && f.ready() == nil {
		n, _ := f.out.Write(line) // a full disk may have room for the next
		f.size += int64(n)
	}
	return len(line), nil
}

// ready opens the file, and another one if it is full.
func (f *file) ready() error {
	if f.out == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.size < fullAt {
		return nil
	}
	_ = f.out.Close() // there is no more to write to it
	f.out = nil
	if os.Rename(f.path, earlier(f.path)) != nil {
		_ = os.Truncate(f.path, 0) // rather no old lines than ever more of them
	}
	return f.open()
}

func (f *file) open() error {
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := out.Stat()
	if err != nil {
		_ = out.Close() // nothing was written
		return err
	}
	f.out, f.size = out, info.Size()
	return nil
}

// close lets go of the file, to which another process may write from now on. It may be called twice.
func (f *file) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.out == nil {
		return nil
	}
	err := f.out.Close()
	f.out = nil
	return err
}
