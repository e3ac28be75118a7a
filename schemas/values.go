package schemas

import (
	"encoding/json"
	"slices"
	"time"
)

// Map returns of(v) for each of the values, in order. It returns nil if there are no values.
func Map[T, Made any](values []T, of func(T) Made) (all []Made) {
	for _, v := range values {
		all = append(all, of(v))
	}
	return all
}

// Unique returns the values without repetitions. Of equal values it keeps the first. It returns nil if there are no
// values.
func Unique[T comparable](values []T) (each []T) {
	for _, v := range values {
		if !slices.Contains(each, v) {
			each = append(each, v)
		}
	}
	return each
}

// NonEmpty returns the texts without the empty ones. It may change the given list.
func NonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// WithPrefix returns the text behind the prefix, or "" for an empty text.
func WithPrefix(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// ValueOrZero returns the value that p points to, or the zero value if p is nil. The returned value is a shallow copy:
// lists and maps in it are shared with *p.
func ValueOrZero[T any](p *T) (v T) {
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

// ValueText returns a decoded JSON value as text: a string unchanged, and any other value as JSON.
func ValueText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, _ := json.Marshal(v) // it came as JSON
	return string(b)
}
