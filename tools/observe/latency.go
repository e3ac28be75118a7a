package observe

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// latency is a histogram of durations. The zero value is empty. It is safe for use by many goroutines.
type latency struct {
	mu  sync.Mutex // guards sum
	sum schemas.Latency
}

func (l *latency) add(d time.Duration) {
	seconds := max(0, d.Seconds()) // a clock may be set back
	l.mu.Lock()
	defer l.mu.Unlock()
	bounds := schemas.LatencyBounds()
	if l.sum.Buckets == nil {
		l.sum.Buckets = make([]uint64, len(bounds))
	}
	for i, bound := range bounds {
		if seconds <= bound {
			l.sum.Buckets[i]++
		}
	}
	l.sum.Count++
	l.sum.Seconds += seconds
}

func (l *latency) read() schemas.Latency {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := l.sum
	sum.Buckets = append([]uint64(nil), l.sum.Buckets...)
	return sum
}

// waits reports whether a call asks to wait. Only a few do, and their arguments are small.
func waits(t tools.Tool, args json.RawMessage) bool {
	if !bytes.Contains(bytes.ToLower(args[:min(len(args), longestWait)]), []byte("wait")) {
		return false
	}
	canonical, err := t.Canonical(args)
	if err != nil {
		return false
	}
	var in struct {
		WaitSeconds int `json:"wait_seconds"`
	}
	return json.Unmarshal(canonical, &in) == nil && in.WaitSeconds > 0
}

// longestWait is how many bytes of arguments are searched; calls that wait have fewer.
const longestWait = 4 << 10
