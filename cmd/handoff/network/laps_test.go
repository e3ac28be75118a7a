//go:build unix

package network_test

import (
	"fmt"
	"slices"
	"time"
)

// laps are how long calls took.
type laps []time.Duration

func (l *laps) add(began time.Time) { *l = append(*l, time.Since(began)) }

// at gives the time within which a part of the calls was answered, zero for none.
func (l laps) at(part float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

func (l laps) String() string {
	return fmt.Sprintf("p50 %6.2f ms  p99 %6.2f ms  (%d calls)", ms(l.at(0.5)), ms(l.at(0.99)), len(l))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
