package schemas

import (
	"encoding/json"
	"slices"
	"time"
)

// Map gives what a function makes of each value, in their order; nil for none.
func Map[T, Made any](values []T, of func(T) Made) (all []Made) {
	for _, v := range values {
		all = append(all, of(v))
	}
	return all
}

// Unique gives the values that are not among those before them, in their order; nil for none.
func Unique[T comparable](values []T) (each []T) {
	for _, v := range values {
		if !slices.Contains(each, v) {
			each = append(each, v)
		}
	}
	return each
}

// OrZero is a copy of what p points to, or the zero value for nil. Lists and maps in it are shared with p.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// TimeOrNil points to a time, nil for none.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// ValueText writes a value that came as JSON: a text as it is, all else as JSON has it.
func ValueText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, _ := json.Marshal(v) // it came as JSON
	return string(b)
}
