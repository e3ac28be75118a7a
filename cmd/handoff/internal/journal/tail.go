package journal

import (
	"context"
	"iter"
	"math"
	"time"
)

// lookEvery is how late a line is seen by who follows.
const lookEvery = 250 * time.Millisecond

// Tail gives the last n lines of the journal in dir, none where there is none. An error is the last it gives.
func Tail(dir string, n int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		r := reader{path: Path(dir)}
		r.give(n, yield)
	}
}

// Follow gives the last n lines and then each line as it comes, until ctx is done. An error is the last it
// gives.
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

// give yields the last n of the lines that are new, and tells whether more are wanted.
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
