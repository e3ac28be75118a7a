package journal

import (
	"os"
	"sync"
)

const fullAt = 1 << 20 // bytes

// A file takes whole lines. When it is full it is renamed, and a new one begun.
type file struct {
	path string

	mu     sync.Mutex // guards the fields below: Close does not wait long for the last Write
	out    *os.File   // nil before the first line
	size   int64
	closed bool // nothing is written any more
}

// Write adds a line if it can. It returns no error, because after one the next line would be lost too.
func (f *file) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && f.ready() == nil {
		n, _ := f.out.Write(line) // a full disk may have space for the next line
		f.size += int64(n)
	}
	return len(line), nil
}

// ready opens the file, and a new one when it is full.
func (f *file) ready() error {
	if f.out == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.size < fullAt {
		return nil
	}
	_ = f.out.Close() // nothing more is written to it
	f.out = nil
	if os.Rename(f.path, earlier(f.path)) != nil {
		_ = os.Truncate(f.path, 0) // the file must not grow for ever
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

// close closes the file: another process may write to it from now on. It may be called twice.
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
