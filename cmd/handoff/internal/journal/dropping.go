package journal

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// A DroppingWriter never waits for its reader: it queues up to 256 writes and drops a write when the queue is full.
// Otherwise a client that does not read stderr would block the process after 64 KB. It is safe for concurrent use.
type DroppingWriter struct {
	mu    sync.Mutex // guards shut and the closing of queue
	queue chan []byte
	shut  bool          // queue is closed
	done  chan struct{} // closed when the queue is written
}

const (
	queueLength = 256                    // writes, one log line each
	closeLimit  = 100 * time.Millisecond // how long Close waits for a slow reader
)

// NewDroppingWriter returns a writer to w. The caller must call Close, which does not close w.
func NewDroppingWriter(w io.Writer) *DroppingWriter {
	d := &DroppingWriter{queue: make(chan []byte, queueLength), done: make(chan struct{})}
	go d.writeQueued(w) // Close waits for it, but not for ever: no call can end a blocked Write
	return d
}

// Write queues a copy of p, or drops p. It always returns len(p) and no error.
func (d *DroppingWriter) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.shut {
		select {
		case d.queue <- bytes.Clone(p):
		default:
		}
	}
	return len(p), nil
}

// Close waits until the queue is written, for at most 100 ms. It returns nil, and may be called twice.
func (d *DroppingWriter) Close() error {
	d.mu.Lock()
	if !d.shut {
		d.shut = true
		close(d.queue)
	}
	d.mu.Unlock()
	select {
	case <-d.done:
	case <-time.After(closeLimit):
	}
	return nil
}

func (d *DroppingWriter) writeQueued(w io.Writer) {
	defer close(d.done)
	for p := range d.queue {
		if _, err := w.Write(p); err != nil {
			return // the rest would fail too
		}
	}
}
