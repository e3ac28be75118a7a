package journal

import (
	"context"
	"iter"
	"math"
	"time"
)

// lookEvery is how often Follow looks for new lines.
const lookEvery = 250 * time.Millisecond

// Tail yields the last n lines of the journal in dir, and none when there is no journal. An error is yielded once,
// last.
func Tail(dir string, n int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		r := reader{path: Path(dir)}
		r.give(n, yield)
	}
}

// Follow yields the last n lines and then each new line, within 250 ms, until ctx is done. An error is yielded once,
// last.
func Follow(ctx context.Context, dir string, n int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		r := reader{path: Path(dir)}
		for r.give(n, yield) {
			n = math.MaxInt
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
		}
	}
}

// give yields the last n of the new lines, and reports whether to go on.
func (r *reader) give(n int, yield func(string, error) bool) bool {
	lines, err := r.next()
	for _, line := range lines[max(0, len(lines)-n):] {
		if !yield(line, nil) {
			return false
		}
	}
	if err != nil {
		yield("", err)
	}
	return err == nil
}
