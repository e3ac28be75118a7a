package schemas

import (
	"encoding/json"
	"slices"
	"time"
)

// Map returns of(v) for each value, in their order. It returns nil for no values.
func Map[T, Made any](values []T, of func(T) Made) (all []Made) {
	for _, v := range values {
		all = append(all, of(v))
	}
	return all
}

// Unique returns the values without repetitions, in the order of their first places. It returns nil for no values.
func Unique[T comparable](values []T) (each []T) {
	for _, v := range values {
		if !slices.Contains(each, v) {
			each = append(each, v)
		}
	}
	return each
}

// OrZero returns a copy of the value that p points to, or the zero value for nil. The copy shares lists and maps with
// p.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// TimeOrNil returns a pointer to t, or nil for the zero time.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// ValueText writes a value that came as JSON: a text unchanged, all else as JSON.
func ValueText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, _ := json.Marshal(v) // it came as JSON
	return string(b)
}
