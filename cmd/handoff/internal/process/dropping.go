package process

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// A Dropping writer never waits for its reader: what does not fit its queue is dropped. A client that does
// not read our stderr would otherwise stop us after 64 KB, with everybody whom we serve.
type Dropping struct {
	mu    sync.Mutex // guards shut and the closing of queue
	queue chan []byte
	shut  bool
	done  chan struct{} // closed when everything queued is written
}

const (
	queueLength = 256                    // writes, one log line each
	lastWords   = 100 * time.Millisecond // how long Close waits for a slow reader
)

// NewDropping gives a writer to w. Close ends it.
func NewDropping(w io.Writer) *Dropping {
	d := &Dropping{queue: make(chan []byte, queueLength), done: make(chan struct{})}
	go d.copy(w) // Close waits for it, but not for ever: a Write that blocks cannot be ended
	return d
}

// Write queues a copy of p, or drops it. It always tells that all was written.
func (d *Dropping) Write(p []byte) (int, error) {
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

// Close writes what is queued if the reader takes it soon. It may be called twice.
func (d *Dropping) Close() error {
	d.mu.Lock()
	if !d.shut {
		d.shut = true
		close(d.queue)
	}
	d.mu.Unlock()
	patience := time.NewTimer(lastWords)
	defer patience.Stop()
	select {
	case <-d.done:
	case <-patience.C:
	}
	return nil
}

func (d *Dropping) copy(w io.Writer) {
	defer close(d.done)
	for p := range d.queue {
		if _, err := w.Write(p); err != nil {
			return // nobody will read the rest either
		}
	}
}
